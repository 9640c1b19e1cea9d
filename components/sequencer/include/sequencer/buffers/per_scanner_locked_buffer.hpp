#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

/**
 * `per-scanner-locked`, the least repair of the published one: each scanner's buffers behind a lock of its own.
 *
 * When to use: if a lock that is nearly always free is cheap enough. It contends once per epoch, with the sequencer.
 *
 * Design: two things have to change, for the lock alone would leave (c) and (d) of `PerScannerPublishedBuffer`:
 *   - The epoch is read under the lock. If the sequencer has emptied this scanner's buffer of e, it had seen an epoch
 *     after e before it took the lock; so whoever locks later reads an epoch after e, and pushes elsewhere.
 *   - `advance` says no while the buffer that the next epoch would use has not been taken.
 *
 * Guarantees: all seven. A push blocks while the sequencer swaps this scanner's buffer, some ten nanoseconds, or for as
 * long as the sequencer is off its core in between.
 *
 * Memory: grows with what was ever pending at once, and keeps it. Unbounded.
 */
template <class P = Primitives>
class PerScannerLockedBuffer {
 public:
  /// Not three: 3 does not divide 2^64, so two neighbours would share a buffer where epochs wrap around.
  static constexpr std::size_t kBuffers = 4;

  explicit PerScannerLockedBuffer(const BufferConfig& config)
      : epoch_(config.first_epoch), taken_(config.first_epoch), lanes_(config.scanners) {}

  bool push(std::size_t scanner, PendingBatch batch) {
    Lane& lane = lanes_[scanner];
    const std::lock_guard lock(lane.mutex);
    batch.epoch = epoch_.load(std::memory_order_acquire);
    lane.buffers[batch.epoch % kBuffers].push_back(batch);
    return true;
  }

  bool advance() {
    const Epoch ended = epoch_.load(std::memory_order_relaxed);
    // Acquire pairs with the release in take: the buffer is empty before an epoch reuses it.
    if (ended + 1 - taken_.load(std::memory_order_acquire) == kBuffers) {
      return false;
    }
    epoch_.store(ended + 1, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    const Epoch next = taken_.load(std::memory_order_relaxed);
    if (next == epoch_.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    for (Lane& lane : lanes_) {
      {
        const std::lock_guard lock(lane.mutex);
        batches_.swap(lane.buffers[next % kBuffers]);
      }
      if (!batches_.empty()) {
        visit({batches_.data(), batches_.size()});
      }
      batches_.clear();
    }
    taken_.store(next + 1, std::memory_order_release);
    return next;
  }

 private:
  using Batches = typename P::template Vector<PendingBatch>;

  struct alignas(kCacheLine) Lane {
    typename P::Mutex mutex;
    std::array<Batches, kBuffers> buffers;
  };

  alignas(kCacheLine) typename P::template Atomic<Epoch> epoch_;
  alignas(kCacheLine) typename P::template Atomic<Epoch> taken_;
  std::vector<Lane> lanes_;
  Batches batches_;
};

}  // namespace sequencer
