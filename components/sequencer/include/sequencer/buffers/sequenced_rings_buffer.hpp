#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

/**
 * `sequenced-rings`: a single-producer ring per scanner, and one counter for all that numbers the batches; the sequencer
 * merges the rings by number. What one writes who needs one order over many producers and wants no queue between them.
 *
 * When to use: where the order within an epoch matters, too. It is the one in which the scanners drew their numbers, and
 * not scanner by scanner as in the lab's.
 *
 * Design: a push draws a ticket from the counter and writes batch and ticket into its own ring. `advance` writes down
 * how far the counter has come: all tickets before that are the epoch's. `take` looks for one ticket after the other at
 * the heads of the rings; each ring is in order by itself.
 *
 * Guarantees: all seven. 4, 5 and 6 by the counter's modification order alone, so whichever threads push: tickets that
 * were drawn before the cut is read are below it, those drawn after it are not, and a push before another one has the
 * smaller ticket. 7: tail, release and acquire; back, head.
 *
 * Progress: push is wait-free where fetch_add is, but all scanners write the counter's line. take says no while a ticket
 * of the epoch has been drawn by a scanner that has not yet written its batch: one that is interrupted in between holds
 * up everybody's.
 *
 * Memory: fixed, scanners * capacity slots and a row of cuts; what is being merged is copied.
 */
template <class P = Primitives>
class SequencedRingsBuffer {
 public:
  explicit SequencedRingsBuffer(const BufferConfig& config)
      : capacity_(std::bit_ceil(config.capacity)),
        merged_(config.first_epoch),
        cuts_(std::make_unique<PlainTicket[]>(kCuts)),
        drawn_(config.first_epoch),
        epoch_(config.first_epoch),
        taken_(config.first_epoch) {
    for (std::size_t scanner = 0; scanner < config.scanners; ++scanner) {
      lanes_.push_back(std::make_unique<Lane>(capacity_));
    }
  }

  bool push(std::size_t scanner, const PendingBatch& batch) {
    Lane& lane = *lanes_[scanner];
    // Before a ticket is drawn, which cannot be given back.
    if (lane.pushed - lane.head_seen == capacity_) {
      lane.head_seen = lane.head.load(std::memory_order_acquire);
      if (lane.pushed - lane.head_seen == capacity_) {
        return false;
      }
    }
    Slot slot{.batch = batch};
    // Acquire pairs with the release in advance: who sees an epoch begun draws no ticket of an earlier one.
    slot.batch.epoch = epoch_.load(std::memory_order_acquire);
    slot.ticket = drawn_.fetch_add(1, std::memory_order_relaxed);
    lane.slots[lane.pushed & (capacity_ - 1)] = slot;
    lane.tail.store(++lane.pushed, std::memory_order_release);
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
    // What has been merged of an epoch that is not yet complete is kept until it is.
    if (!merge_up_to(cuts_[next % kCuts])) {
      return std::nullopt;
    }
    if (!batches_.empty()) {
      visit({batches_.data(), batches_.size()});
      batches_.clear();
    }
    taken_.store(next + 1, std::memory_order_release);
    return next;
  }

 private:
  static constexpr std::size_t kCuts = 64;

  struct Slot {
    PendingBatch batch;
    Position ticket = 0;
  };
  using PlainSlot = typename P::template Plain<Slot>;
  using PlainTicket = typename P::template Plain<Position>;

  struct Lane {
    explicit Lane(std::size_t capacity) : slots(std::make_unique<PlainSlot[]>(capacity)) {}

    alignas(kCacheLine) const std::unique_ptr<PlainSlot[]> slots;

    // The scanner's line.
    alignas(kCacheLine) Position pushed = 0;
    Position head_seen = 0;
    typename P::template Atomic<Position> tail{0};

    // The sequencer's line.
    alignas(kCacheLine) typename P::template Atomic<Position> head{0};
    Position popped = 0;
    Position tail_seen = 0;
  };

  bool merge_up_to(Position cut) {
    while (merged_ != cut) {
      std::size_t lane = 0;
      while (lane != lanes_.size() && !merge_from(*lanes_[lane], cut)) {
        ++lane;
      }
      if (lane == lanes_.size()) {
        return false;
      }
    }
    return true;
  }

  /// As many as follow each other in this ring; false if the next one is not there.
  bool merge_from(Lane& lane, Position cut) {
    const Position before = lane.popped;
    while (merged_ != cut) {
      if (lane.popped == lane.tail_seen) {
        lane.tail_seen = lane.tail.load(std::memory_order_acquire);
        if (lane.popped == lane.tail_seen) {
          break;
        }
      }
      const Slot& slot = lane.slots[lane.popped & (capacity_ - 1)];
      if (slot.ticket != merged_) {
        break;
      }
      batches_.push_back(slot.batch);
      ++lane.popped;
      ++merged_;
    }
    if (lane.popped == before) {
      return false;
    }
    lane.head.store(lane.popped, std::memory_order_release);
    return true;
  }

  const Position capacity_;
  std::vector<std::unique_ptr<Lane>> lanes_;

  // The sequencer's own.
  Position merged_;
  std::vector<PendingBatch> batches_;

  // The driver's, handed over by the epoch's line.
  const std::unique_ptr<PlainTicket[]> cuts_;

  // All scanners' line.
  alignas(kCacheLine) typename P::template Atomic<Position> drawn_;
  alignas(kCacheLine) typename P::template Atomic<Epoch> epoch_;
  alignas(kCacheLine) typename P::template Atomic<Epoch> taken_;
};

}  // namespace sequencer
