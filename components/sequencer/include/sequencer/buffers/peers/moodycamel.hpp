#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer {

/**
 * `moodycamel`: Cameron Desrochers's ConcurrentQueue, which has a queue of blocks inside for each producer.
 *
 * It keeps each producer's order and none between them, so that a mark, as in `QueueBuffer`, would cut no one's batches
 * but the driver's. Therefore each push draws a ticket from one counter, `advance` writes down how far that has come,
 * and `take` holds back whatever has a later ticket and says no until all earlier ones are there.
 *
 * Guarantees: all seven, by the counter as in `SequencedRingsBuffer`, and 3 by the queue's own order of each producer.
 *
 * Progress: the queue's own, on one line that all scanners write. Memory: blocks for scanners * capacity batches; the
 * queue takes more where it needs them, which it recycles.
 */
class MoodycamelBuffer {
 public:
  explicit MoodycamelBuffer(const BufferConfig& config)
      : capacity_(config.capacity),
        queue_(config.scanners * (config.capacity + kBulk), config.scanners, 0),
        consumer_(queue_),
        taken_tickets_(config.first_epoch),
        drawn_(config.first_epoch),
        epoch_(config.first_epoch),
        taken_(config.first_epoch) {
    for (std::size_t scanner = 0; scanner < config.scanners; ++scanner) {
      lanes_.push_back(std::make_unique<Lane>(queue_));
    }
  }

  bool push(std::size_t scanner, PendingBatch batch) {
    Lane& lane = *lanes_[scanner];
    // Only a count: what it lets reuse is the queue's own business. Before a ticket is drawn, which cannot be given back.
    if (lane.pushed - lane.taken.load(std::memory_order_relaxed) == capacity_) {
      return false;
    }
    batch.epoch = epoch_.load(std::memory_order_acquire);
    const Position ticket = drawn_.fetch_add(1, std::memory_order_relaxed);
    if (!queue_.enqueue(lane.producer, {batch, ticket, scanner})) {
      throw std::bad_alloc();
    }
    ++lane.pushed;
    return true;
  }

  bool advance() {
    const Epoch ending = epoch_.load(std::memory_order_relaxed);
    if (ending - taken_.load(std::memory_order_acquire) == kCuts) {
      return false;
    }
    cuts_[ending % kCuts] = drawn_.load(std::memory_order_relaxed);
    epoch_.store(ending + 1, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    const Epoch next = taken_.load(std::memory_order_relaxed);
    if (next == epoch_.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    // What has come of an epoch that is not yet complete is kept until it is.
    if (!gather(cuts_[next % kCuts] - taken_tickets_)) {
      return std::nullopt;
    }
    taken_tickets_ += batches_.size();
    if (!batches_.empty()) {
      visit({batches_.data(), batches_.size()});
      batches_.clear();
    }
    taken_.store(next + 1, std::memory_order_release);
    return next;
  }

 private:
  static constexpr std::size_t kCuts = 64;
  static constexpr std::size_t kBulk = 64;

  struct Ticketed {
    PendingBatch batch;
    Position ticket = 0;
    std::size_t scanner = 0;
  };
  using Queue = moodycamel::ConcurrentQueue<Ticketed>;

  struct Lane {
    explicit Lane(Queue& queue) : producer(queue) {}

    alignas(kCacheLine) moodycamel::ProducerToken producer;
    Position pushed = 0;
    alignas(kCacheLine) std::atomic<Position> taken{0};
  };

  /// Whether the epoch's batches, of which there are `due`, are all in batches_.
  bool gather(Position due) {
    std::size_t kept = 0;
    for (const Ticketed& held : held_) {
      if (!admit(held, due)) {
        held_[kept++] = held;
      }
    }
    held_.resize(kept);
    while (batches_.size() != due) {
      const std::size_t came = queue_.try_dequeue_bulk(consumer_, bulk_.begin(), bulk_.size());
      if (came == 0) {
        return false;
      }
      for (std::size_t i = 0; i < came; ++i) {
        std::atomic<Position>& taken = lanes_[bulk_[i].scanner]->taken;
        taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (!admit(bulk_[i], due)) {
          held_.push_back(bulk_[i]);
        }
      }
    }
    return true;
  }

  bool admit(const Ticketed& ticketed, Position due) {
    if (ticketed.ticket - taken_tickets_ >= due) {
      return false;
    }
    batches_.push_back(ticketed.batch);
    return true;
  }

  const std::size_t capacity_;
  Queue queue_;
  std::vector<std::unique_ptr<Lane>> lanes_;

  // The sequencer's own.
  moodycamel::ConsumerToken consumer_;
  std::array<Ticketed, kBulk> bulk_;
  std::vector<Ticketed> held_;
  std::vector<PendingBatch> batches_;
  Position taken_tickets_;

  // The driver's, handed over by the epoch's line.
  std::array<Position, kCuts> cuts_{};

  // All scanners' line.
  alignas(kCacheLine) std::atomic<Position> drawn_;
  alignas(kCacheLine) std::atomic<Epoch> epoch_;
  alignas(kCacheLine) std::atomic<Epoch> taken_;
};

}  // namespace sequencer
