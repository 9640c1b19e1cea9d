#pragma once

#include <cstddef>
#include <cstdint>

#include "sequencer/any_epoch_buffer.hpp"
#include "sequencer/broker.hpp"
#include "sequencer/flush.hpp"

namespace sequencer {

/// How a scanner learns that a slot has been filled.
enum class Scan {
  /// As published: evict the next slot's line, fence, load it from memory; again and again while it is empty.
  kFlushPoll,
  /// Load the broker's doorbell, which stays in this core's cache while nothing comes; evict and load only slots that
  /// are known to be filled, a group at a time behind one fence, and sleep if the bell is silent.
  kDoorbell,
};

struct ScannerStats {
  std::uint64_t polls = 0;
  std::uint64_t empty_polls = 0;
  /// By an epoch buffer that was full.
  std::uint64_t refused = 0;
};

/// Follows one broker's ring and pushes what it finds. Without a buffer (orders 0 and 1) it acknowledges by itself.
/// Scanners stand side by side in a vector, and each thread writes its own at every look: no two on one line.
class alignas(kCacheLine) Scanner {
 public:
  Scanner(Broker& broker, std::size_t number, AnyEpochBuffer* buffer, Scan mode, const FlushPolicy& flush)
      : broker_(broker), number_(number), buffer_(buffer), mode_(mode), flusher_(flush) {}

  /// One look, and everything that it finds, up to a group. Returns how many batches have been dealt with.
  std::size_t scan();

  /// Whether the doorbell says that there is more; as cheap as it gets.
  bool rung() const { return broker_.doorbell.load(std::memory_order_acquire) != position_; }

  Broker& broker() const { return broker_; }
  Scan mode() const { return mode_; }
  const ScannerStats& stats() const { return stats_; }

 private:
  /// Headers loaded ahead: enough to overlap their way from memory.
  static constexpr std::size_t kGroup = 16;

  std::size_t poll_one();
  std::size_t scan_rung();
  bool hand_over(const BatchHeader& header);

  Broker& broker_;
  const std::size_t number_;
  AnyEpochBuffer* const buffer_;
  const Scan mode_;
  Flusher flusher_;
  Position position_ = 0;
  ScannerStats stats_;
};

static_assert(sizeof(Scanner) % kCacheLine == 0);

}  // namespace sequencer
