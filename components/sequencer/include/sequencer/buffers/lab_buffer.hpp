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
 * `lab`: a ring per scanner, and epochs that are cuts through the rings.
 *
 * When to use: whenever each scanner has a number of its own.
 * When not: if scanners come and go, or several threads share one; if memory per scanner must grow with its load
 * instead of being fixed.
 *
 * Design. Nothing is handed over per epoch: no buffer changes hands, so none can be confused, whatever the sequencer's
 * lag. A scanner writes its batches into a ring of its own, with consecutive tickets. When the driver ends epoch e it
 * writes down how far each ring has come: a row of tickets, the cut of e. The sequencer takes, ring by ring, what lies
 * between its last ticket and the cut.
 *
 *                 taken      cut of e    cut of e+1   tail
 *     ring 0    ....|-----------|------------|---------|>            batches: scanner -> sequencer
 *     ring 1    ....|---|----------------|------|>
 *                        rows of cuts: driver -> sequencer, at most kCuts ahead
 *
 * The rows of cuts are a ring too. If the sequencer is kCuts epochs behind, `advance` says no and the epoch goes on: it
 * lags at the price of longer epochs, not of wrong ones.
 *
 * The driver reads one tail after the other while scanners go on, so a row alone need not be a snapshot: it may hold a
 * batch and miss one that was pushed before it elsewhere. Therefore each batch carries a stamp, the epoch that its
 * scanner read before the push, the driver begins the next epoch before it reads the first tail, and the sequencer
 * leaves behind the cut what carries a later stamp. With
 *
 *     epoch(x) = max(stamp(x), first epoch whose cut is past x's ticket)
 *
 * stamps and cuts rise along a ring, so epoch(x) does: a take shows a prefix of what remains in each ring.
 *
 * Proof of the guarantees in `EpochBuffer`, with the lines marked [S1]..[S4], [D1]..[D5], [Q1]..[Q5] below.
 *
 *  1, 2, 3. The sequencer's `head` moves over each ticket once and in order [Q3, Q5]; it never passes a cut, which
 *     never passes the tail [D4]. A slot is overwritten only when head has passed it [S1]. Rows are used in order, row
 *     e by the driver before closed = e + 1 [D5, Q1] and again only after taken > e [Q5, D1]. All counts are compared
 *     by difference, so they may wrap around.
 *  4. push(x) before advance: [D4] reads a tail past x by coherence, and x's stamp is at most e, as [D2] had not
 *     happened.
 *  5. advance before push(x): [S2] reads an epoch after e by coherence, so stamp(x) > e.
 *  6. push(x) before push(y), y shown in e; to show: x in e or before. On one ring it is 3. On two, pushed by two
 *     threads or by one: stamp(y) <= e, so y's [S2] did not see [D2]. Between x's [S4] and y's [S2] stands y's light
 *     fence, between [D2] and [D4] the heavy one [D3]. As what precedes the heavy fence is not seen behind the light
 *     one, what precedes the light one is seen behind the heavy one: [D4] reads a tail past x. And stamp(x) <= stamp(y)
 *     by coherence. (A fence of the driver's own in place of [D3] would do where x and y come from two threads: what
 *     another thread knows of has left its writer's store buffer. Where they come from one, x's [S4] can still be in
 *     there while [D4] reads ring x, and be out, y's behind it, when [D4] comes to ring y.)
 *     The epoch's line carries no data, so that of it coherence and the fences are enough: [S2] and [D2] are relaxed.
 *  7. [S3] -> [S4] release, [D4] acquire -> [D5] release, [Q1] acquire -> [Q4]. Back: [Q4] -> [Q5] release, [S1]
 *     acquire -> [S3].
 *
 * Progress: push is wait-free, a dozen instructions without a read-modify-write; advance is O(scanners) and a system
 * call, which interrupts the cores that run this process; take waits for nobody: neither for a scanner that was
 * interrupted within a push nor for the driver.
 *
 * Memory: fixed, scanners * (capacity * 48 B + 192 B) + kCuts * scanners * 8 B. A push that finds no slot says no.
 *
 * Traffic: a scanner and the sequencer share the batches themselves, and the line with the head, which the scanner
 * reads once per lap. The scanner's own line, with the tail, is read by the driver alone, once per epoch. The epoch's
 * line is written once per epoch.
 */
template <class P = Primitives>
class LabBuffer {
 public:
  /// Epochs that may have ended and not been taken. 64 of 500 us are 32 ms, some time slices of a sequencer that has
  /// lost its core.
  static constexpr std::size_t kCuts = 64;

  explicit LabBuffer(const BufferConfig& config) : LabBuffer(config, /*first_ticket=*/config.first_epoch, kCuts) {}

  /// For tests: tickets that soon wrap around, and few cuts (a power of two, so that rows stay distinct as epochs wrap
  /// around).
  LabBuffer(const BufferConfig& config, Position first_ticket, std::size_t cuts)
      : capacity_(std::bit_ceil(config.capacity)),
        cuts_(cuts),
        rows_(std::make_unique<PlainTicket[]>(cuts * config.scanners)),
        epoch_(config.first_epoch),
        closed_(config.first_epoch),
        taken_(config.first_epoch) {
    lanes_.reserve(config.scanners);
    for (std::size_t scanner = 0; scanner < config.scanners; ++scanner) {
      lanes_.push_back(std::make_unique<Lane>(capacity_, first_ticket));
    }
  }

  bool push(std::size_t scanner, const PendingBatch& batch) {
    Lane& lane = *lanes_[scanner];
    const Position ticket = lane.pushed;
    if (ticket - lane.head_seen == capacity_) {
      lane.head_seen = lane.head.load(std::memory_order_acquire);  // [S1]
      if (ticket - lane.head_seen == capacity_) {
        return false;
      }
    }
    P::light_fence();
    PendingBatch stamped = batch;
    stamped.epoch = epoch_.load(std::memory_order_relaxed);  // [S2]
    lane.slots[ticket & (capacity_ - 1)] = stamped;          // [S3]
    lane.pushed = ticket + 1;
    lane.tail.store(ticket + 1, std::memory_order_release);  // [S4]
    return true;
  }

  bool advance() {
    const Epoch ending = epoch_.load(std::memory_order_relaxed);
    if (ending - taken_.load(std::memory_order_acquire) == cuts_) {  // [D1]
      return false;
    }
    epoch_.store(ending + 1, std::memory_order_relaxed);  // [D2]
    P::heavy_fence();                                     // [D3]
    PlainTicket* const row = row_of(ending);
    for (std::size_t scanner = 0; scanner < lanes_.size(); ++scanner) {
      row[scanner] = lanes_[scanner]->tail.load(std::memory_order_acquire);  // [D4]
    }
    closed_.store(ending + 1, std::memory_order_release);  // [D5]
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    const Epoch epoch = taken_.load(std::memory_order_relaxed);
    if (epoch == closed_.load(std::memory_order_acquire)) {  // [Q1]
      return std::nullopt;
    }
    const PlainTicket* const row = row_of(epoch);
    for (std::size_t scanner = 0; scanner < lanes_.size(); ++scanner) {
      take_from(*lanes_[scanner], epoch, row[scanner], visit);  // [Q2]
    }
    taken_.store(epoch + 1, std::memory_order_release);  // [Q5], of the rows
    return epoch;
  }

 private:
  using Slot = typename P::template Plain<PendingBatch>;
  using PlainTicket = typename P::template Plain<Position>;

  struct Lane {
    Lane(std::size_t capacity, Position first)
        : slots(std::make_unique<Slot[]>(capacity)), pushed(first), head_seen(first), tail(first), head(first) {}

    // Written by nobody any more, so that the sequencer finds the slots without the scanner's line.
    alignas(kCacheLine) const std::unique_ptr<Slot[]> slots;

    // The scanner's line. The driver reads `tail`, once per epoch.
    alignas(kCacheLine) Position pushed;
    Position head_seen;
    typename P::template Atomic<Position> tail;

    // The sequencer's line. The scanner reads it when its ring seems full.
    alignas(kCacheLine) typename P::template Atomic<Position> head;
  };

  PlainTicket* row_of(Epoch epoch) const { return &rows_[(epoch & (cuts_ - 1)) * lanes_.size()]; }

  void take_from(Lane& lane, Epoch epoch, Position cut, Visit visit) {
    const Position head = lane.head.load(std::memory_order_relaxed);
    Position end = cut;
    // Stamps rise, so those that are too late are the last ones: pushed while the driver was at its cut.
    while (end != head && is_after(stamp_of(lane, end - 1), epoch)) {
      --end;
    }
    for (Position from = head; from != end;) {  // [Q3] in two runs, if the ring's end lies between
      const Position slot = from & (capacity_ - 1);
      const Position count = std::min<Position>(end - from, capacity_ - slot);
      P::show(&lane.slots[slot], count, visit);  // [Q4]
      from += count;
    }
    if (end != head) {
      lane.head.store(end, std::memory_order_release);  // [Q5], of the slots
    }
  }

  Epoch stamp_of(const Lane& lane, Position ticket) const {
    const PendingBatch& batch = lane.slots[ticket & (capacity_ - 1)];
    return batch.epoch;
  }

  const Position capacity_;
  const std::size_t cuts_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  const std::unique_ptr<PlainTicket[]> rows_;

  alignas(kCacheLine) typename P::template Atomic<Epoch> epoch_;
  // The driver's line; the sequencer reads it.
  alignas(kCacheLine) typename P::template Atomic<Epoch> closed_;
  // The sequencer's line; the driver reads it.
  alignas(kCacheLine) typename P::template Atomic<Epoch> taken_;
};

}  // namespace sequencer
