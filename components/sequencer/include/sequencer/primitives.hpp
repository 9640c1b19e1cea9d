#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer {

/**
 * What a buffer is made of. As folly passes `Atom`, each buffer takes its primitives as a template parameter, so that
 * the same lines run on the machine and in a model checker, which decides who goes next and what a load may return.
 */
struct Primitives {
  template <class T>
  using Atomic = std::atomic<T>;

  /// Data that the atomics around it hand over: a T here, there a variable watched for races.
  template <class T>
  using Plain = T;

  using Mutex = std::mutex;

  template <class T>
  using Vector = std::vector<T>;

  template <class Key, class Value>
  using Map = std::unordered_map<Key, Value>;

  static void show(const PendingBatch* first, std::size_t count, Visit visit) { visit({first, count}); }

  /**
   * A pair of fences that costs only the side that is rarely passed: what one thread stores before its light fence and
   * another loads after its heavy fence (or the other way round) is ordered as if both were sequentially consistent
   * (P1202R5).
   *
   * The light side is a compiler barrier. That the heavy side needs no membarrier(2) rests on how `LabBuffer` uses the
   * pair, see there.
   */
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

  static void heavy_fence() noexcept {
#if defined(__SANITIZE_THREAD__)
    // ThreadSanitizer knows no fences. It does not reorder either.
    std::atomic_signal_fence(std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }
};

/// Whether a is after b, in a count that may wrap around.
template <class Count>
constexpr bool is_after(Count a, Count b) noexcept {
  return static_cast<std::make_signed_t<Count>>(a - b) > 0;
}

}  // namespace sequencer
