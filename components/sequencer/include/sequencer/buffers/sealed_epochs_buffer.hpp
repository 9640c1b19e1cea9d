#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

/**
 * `sealed-epochs`: a buffer per scanner and epoch, closed by a seal that a push cannot overlook.
 *
 * When to use: where the sequencer must know at once, and for good, all that an epoch holds, and an atomic
 * read-modify-write per push on a line that nobody else writes is cheap enough (some 5 ns).
 *
 * Design: each buffer has one word {epoch, sealed, count}. The scanner writes its batch behind the last one and then
 * makes it count by a compare-and-set of the word it has seen. The sequencer sets the sealed bit and reads the final
 * count in one step.
 *
 *     word of (e, scanner):  open, 0 --push--> open, 1 --push--> open, 2 --seal--> sealed, 2   ... reopened for e + 4
 *
 * Whichever of the last push and the seal comes first in the word's modification order, both know it: either the batch
 * counts and is shown, or the compare-and-set fails and the scanner goes on to the epoch that has begun meanwhile.
 *
 * The epoch in the word is what makes it safe to sleep anywhere in push: a scanner that wakes up kBuffers epochs later
 * finds another epoch there, and fails as well. It has 40 bits; a scanner would have to sleep through 2^40 epochs, 17
 * years of them at 500 us, to be fooled. `advance` reopens a buffer only once it has been taken, and says no until
 * then.
 *
 * Guarantees: all seven, by acquire and release alone. push is lock-free: it repeats only if an epoch has ended
 * meanwhile. advance and take are wait-free; take waits for no scanner.
 *
 * Memory: fixed, kBuffers * scanners * capacity batches, of which an epoch holds less than 2^23 of a scanner's.
 */
template <class P = Primitives>
class SealedEpochsBuffer {
 public:
  static constexpr std::size_t kBuffers = 4;

  /// @throws std::invalid_argument if the word could not count so many batches: the seal is the next bit.
  explicit SealedEpochsBuffer(const BufferConfig& config)
      : capacity_(countable(config.capacity)), epoch_(config.first_epoch), taken_(config.first_epoch) {
    for (auto& buffers : buffers_) {
      buffers = std::vector<Buffer>(config.scanners);
      for (Buffer& buffer : buffers) {
        buffer.batches = std::make_unique<Slot[]>(capacity_);
      }
    }
    open(config.first_epoch);
  }

  bool push(std::size_t scanner, const PendingBatch& batch) {
    while (true) {
      const Epoch epoch = epoch_.load(std::memory_order_acquire);
      Buffer& buffer = buffers_[epoch % kBuffers][scanner];
      // Acquire pairs with the release in open: the sequencer has done with these slots.
      std::uint64_t word = buffer.word.load(std::memory_order_acquire);
      if ((word & ~kCount) != opened(epoch)) {
        continue;
      }
      const std::uint64_t count = word & kCount;
      if (count == capacity_) {
        return false;
      }
      PendingBatch stamped = batch;
      stamped.epoch = epoch;
      buffer.batches[count] = stamped;
      // Release pairs with the acquire in take.
      if (buffer.word.compare_exchange_strong(word, word + 1, std::memory_order_release, std::memory_order_relaxed)) {
        return true;
      }
    }
  }

  bool advance() {
    const Epoch next = epoch_.load(std::memory_order_relaxed) + 1;
    // Acquire pairs with the release in take.
    if (next - taken_.load(std::memory_order_acquire) == kBuffers) {
      return false;
    }
    open(next);
    epoch_.store(next, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    const Epoch next = taken_.load(std::memory_order_relaxed);
    if (next == epoch_.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    for (Buffer& buffer : buffers_[next % kBuffers]) {
      // Release: a scanner that finds the seal also finds the epoch that has begun, and does not come back to this one.
      const std::uint64_t count = buffer.word.fetch_or(kSealed, std::memory_order_acq_rel) & kCount;
      if (count != 0) {
        P::show(buffer.batches.get(), count, visit);
      }
    }
    taken_.store(next + 1, std::memory_order_release);
    return next;
  }

 private:
  // word = epoch << 24 | sealed << 23 | count
  static constexpr std::uint64_t kSealed = 1U << 23;
  static constexpr std::uint64_t kCount = kSealed - 1;
  static constexpr std::uint64_t opened(Epoch epoch) { return epoch << 24; }

  static std::size_t countable(std::size_t capacity) {
    if (capacity > kCount) {
      throw std::invalid_argument("a scanner's buffer holds at most " + std::to_string(kCount) +
                                  " batches of an epoch, not " + std::to_string(capacity));
    }
    return capacity;
  }

  using Slot = typename P::template Plain<PendingBatch>;

  struct alignas(kCacheLine) Buffer {
    typename P::template Atomic<std::uint64_t> word{kSealed};
    std::unique_ptr<Slot[]> batches;
  };

  void open(Epoch epoch) {
    for (Buffer& buffer : buffers_[epoch % kBuffers]) {
      buffer.word.store(opened(epoch), std::memory_order_release);
    }
  }

  const std::size_t capacity_;
  std::array<std::vector<Buffer>, kBuffers> buffers_;
  alignas(kCacheLine) typename P::template Atomic<Epoch> epoch_;
  alignas(kCacheLine) typename P::template Atomic<Epoch> taken_;
};

}  // namespace sequencer
