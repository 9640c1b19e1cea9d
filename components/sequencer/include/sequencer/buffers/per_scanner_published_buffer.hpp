#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <optional>

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

/**
 * `per-scanner-published`, the report's "after": a buffer per scanner, pushed into without a lock. It is racy as it was
 * published.
 *
 * When to use: to see a race caught. It runs only where asked by name, and its undefined behaviour may end the process.
 *
 * Design: three maps from scanner to its batches; the scanner pushes into buffers[e % 3][scanner], the sequencer merges
 * and clears under a mutex that no scanner ever takes. (Upstream's map is absl::flat_hash_map.)
 *
 * Guarantees: none. With S a scanner, D the driver, Q the sequencer:
 *
 *   (a) A data race: the batch is lost, shown twice, or written into memory that has been given back.
 *
 *         [S] e = epoch
 *         [D]              epoch = e + 1
 *         [Q]                              walks buffers[e % 3][S]     clears it
 *         [S]                                               push_back into it
 *
 *   (b) A data race, too: [S0] and [S1] push for the first time. operator[] inserts into one map from two threads,
 *       while [Q] may walk it.
 *
 *   (c) The batch is shown by the take of e + 3, after what the same scanner pushed in e + 1 and e + 2. A data race as
 *       well, though it may harm no memory: nothing orders what [Q] has read and written before what [S] writes.
 *
 *         [S] e = epoch
 *         [D]              epoch = e + 1
 *         [Q]                              takes e
 *         [S]                                         push_back
 *
 *   (d) Q lags by three epochs: as in `MutexBuffer`.
 */
template <class P = Primitives>
class PerScannerPublishedBuffer {
 public:
  static constexpr std::size_t kBuffers = 3;

  explicit PerScannerPublishedBuffer(const BufferConfig& config)
      : epoch_(config.first_epoch), next_(config.first_epoch) {}

  bool push(std::size_t scanner, PendingBatch batch) {
    batch.epoch = epoch_.load(std::memory_order_acquire);
    // (a), (b), (c): nothing keeps the epoch from ending here.
    buffers_[batch.epoch % kBuffers][scanner].push_back(batch);
    return true;
  }

  bool advance() {
    epoch_.store(epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    if (next_ == epoch_.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    {
      const std::lock_guard lock(mutex_);
      for (auto& [scanner, batches] : buffers_[next_ % kBuffers]) {
        taken_.insert(taken_.end(), batches.begin(), batches.end());
        batches.clear();
      }
    }
    std::stable_sort(taken_.begin(), taken_.end(),
                     [](const PendingBatch& a, const PendingBatch& b) { return a.broker < b.broker; });
    if (!taken_.empty()) {
      visit({taken_.data(), taken_.size()});
    }
    taken_.clear();
    return next_++;
  }

 private:
  using Batches = typename P::template Vector<PendingBatch>;

  typename P::template Atomic<Epoch> epoch_;
  std::array<typename P::template Map<std::size_t, Batches>, kBuffers> buffers_;

  // Taken by the sequencer alone, so it excludes nobody.
  typename P::Mutex mutex_;
  Epoch next_;
  std::vector<PendingBatch> taken_;
};

}  // namespace sequencer
