#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/membarrier.hpp"

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
   * The asymmetric pair of P1202: fences that are ordered with each other as if both were
   * atomic_thread_fence(seq_cst), and of which the heavy one pays for both. Either what comes before the light fence
   * is visible to loads after the heavy one, or what comes before the heavy one is visible to loads after the light one.
   *
   * The light fence keeps the compiler from reordering, and nothing else. The heavy one is membarrier(2), which has
   * each other thread of this process pass a full fence, wherever it is: about a microsecond. A fence of the caller's
   * own would not do, since it leaves what the others have stored in their store buffers. Where the kernel has no
   * membarrier both are full fences.
   */
  static void light_fence() noexcept {
    if (kHasMembarrier) [[likely]] {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      full_thread_fence();
    }
  }

  static void heavy_fence() noexcept {
    if (kHasMembarrier) [[likely]] {
      membarrier();
    } else {
      full_thread_fence();
    }
  }
};

/// Whether a is after b, in a count that may wrap around.
template <class Count>
constexpr bool is_after(Count a, Count b) noexcept {
  return static_cast<std::make_signed_t<Count>>(a - b) > 0;
}

}  // namespace sequencer
