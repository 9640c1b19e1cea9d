#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

/**
 * `mutex`, the report's "before": three buffers, one lock for all, taken once per batch.
 *
 * When to use: never beyond a few scanners, and only while the sequencer cannot fall three epochs behind.
 *
 * Design: a batch of epoch e goes into buffer e % 3. The scanner reads the epoch while it holds the lock, and the
 * sequencer empties a buffer under the same lock after the epoch has ended; so nobody can push into an epoch that has
 * been taken.
 *
 * Guarantees: all; but neither 3, 5 nor 6 once the sequencer lags by three epochs. Then e and e + 3 share a buffer, and
 * batches of e + 3 are taken as if they belonged to e, which had ended when they were pushed (5), and before those of
 * e + 1 (3, 6): `advance` never says no. Upstream's later versions share this.
 *
 * Memory: grows with what was ever pending at once, and keeps it. Unbounded.
 */
template <class P = Primitives>
class MutexBuffer {
 public:
  static constexpr std::size_t kBuffers = 3;

  explicit MutexBuffer(const BufferConfig& config) : epoch_(config.first_epoch), next_(config.first_epoch) {}

  bool push(std::size_t /*scanner*/, PendingBatch batch) {
    const std::lock_guard lock(mutex_);
    batch.epoch = epoch_.load(std::memory_order_acquire);
    buffers_[batch.epoch % kBuffers].push_back(batch);
    return true;
  }

  bool advance() {
    // One writer, so no read-modify-write is needed. Release: guarantee 5 holds through this store alone.
    epoch_.store(epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    if (next_ == epoch_.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    {
      const std::lock_guard lock(mutex_);
      taken_.swap(buffers_[next_ % kBuffers]);
    }
    // The scanners' batches lie mixed as they won the lock; the published order is by broker, then by slot.
    std::stable_sort(taken_.begin(), taken_.end(),
                     [](const PendingBatch& a, const PendingBatch& b) { return a.broker < b.broker; });
    if (!taken_.empty()) {
      visit({taken_.data(), taken_.size()});
    }
    taken_.clear();
    return next_++;
  }

 private:
  typename P::Mutex mutex_;
  typename P::template Atomic<Epoch> epoch_;
  std::array<typename P::template Vector<PendingBatch>, kBuffers> buffers_;

  // The sequencer's own.
  Epoch next_;
  typename P::template Vector<PendingBatch> taken_;
};

}  // namespace sequencer
