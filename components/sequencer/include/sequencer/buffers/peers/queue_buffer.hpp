#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer {

/// A batch and who pushed it, or the end of an epoch.
struct Queued {
  static constexpr std::uint32_t kMark = std::numeric_limits<std::uint32_t>::max();

  PendingBatch batch;
  std::uint32_t scanner = kMark;
};

/// A queue with room for so many, that many may push into, first in, first out over all of them.
template <class Q>
concept FifoQueue = std::constructible_from<Q, std::size_t> && requires(Q& queue, Queued queued) {
  { queue.try_push(queued) } -> std::same_as<bool>;
  { queue.try_pop(queued) } -> std::same_as<bool>;
};

/**
 * A library's queue as the hand-over: one for all scanners, and the driver pushes a mark where an epoch ends. What one
 * writes who looks for "a lock-free queue instead of the mutex" (the report's remaining opportunity 3).
 *
 * When to use: where scanners come and go. When not: all scanners write the queue's ends, so they slow each other down
 * as they did at the mutex.
 *
 * Design: as the queue is first in, first out, the mark cuts it: all seven guarantees follow from its linearizability.
 * A queue that only orders each producer by itself (moodycamel's) will not do: the mark would cut no one's batches but
 * the driver's. Each scanner counts its own batches, so that together they can never take the room that a mark needs;
 * else nothing could be taken, and no room be made, ever again.
 *
 * Progress: the queue's own. take spins where a pusher has been interrupted between reserving its place and filling it.
 *
 * Memory: fixed, scanners * capacity batches and a row of marks.
 */
template <FifoQueue Queue>
class QueueBuffer {
 public:
  explicit QueueBuffer(const BufferConfig& config)
      : capacity_(config.capacity),
        queue_(config.scanners * config.capacity + kMarks),
        lanes_(config.scanners),
        epoch_(config.first_epoch),
        taken_(config.first_epoch) {}

  bool push(std::size_t scanner, PendingBatch batch) {
    Lane& lane = lanes_[scanner];
    // Only a count: what it lets reuse is the queue's own business.
    if (lane.pushed - lane.taken.load(std::memory_order_relaxed) == capacity_) {
      return false;
    }
    batch.epoch = epoch_.load(std::memory_order_acquire);
    if (!queue_.try_push({batch, static_cast<std::uint32_t>(scanner)})) {
      return false;
    }
    ++lane.pushed;
    return true;
  }

  bool advance() {
    const Epoch ending = epoch_.load(std::memory_order_relaxed);
    if (ending - taken_.load(std::memory_order_acquire) == kMarks || !queue_.try_push({})) {
      return false;
    }
    epoch_.store(ending + 1, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    const Epoch next = taken_.load(std::memory_order_relaxed);
    // Acquire: its mark is in the queue.
    if (next == epoch_.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    batches_.clear();
    for (Queued queued;;) {
      if (!queue_.try_pop(queued)) {
        std::this_thread::yield();
      } else if (queued.scanner == Queued::kMark) {
        break;
      } else {
        batches_.push_back(queued.batch);
        std::atomic<Position>& taken = lanes_[queued.scanner].taken;
        taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      }
    }
    if (!batches_.empty()) {
      visit({batches_.data(), batches_.size()});
    }
    taken_.store(next + 1, std::memory_order_release);
    return next;
  }

 private:
  static constexpr std::size_t kMarks = 64;

  struct Lane {
    alignas(kCacheLine) Position pushed = 0;
    alignas(kCacheLine) std::atomic<Position> taken{0};
  };

  const std::size_t capacity_;
  Queue queue_;
  std::vector<Lane> lanes_;
  alignas(kCacheLine) std::atomic<Epoch> epoch_;
  alignas(kCacheLine) std::atomic<Epoch> taken_;
  std::vector<PendingBatch> batches_;
};

}  // namespace sequencer
