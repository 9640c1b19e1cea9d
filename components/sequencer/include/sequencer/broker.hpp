#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sequencer/batch_header.hpp"
#include "sequencer/region.hpp"
#include "sequencer/signal.hpp"
#include "sequencer/types.hpp"

namespace sequencer {

struct BrokerConfig {
  BrokerId id = 0;
  /// Of the ring of batch headers.
  std::size_t slots = 81'920;
  /// Size of the largest batch; the log is a ring of cells of that size.
  std::size_t batch_bytes = 2 << 20;
  std::size_t log_bytes = 64 << 20;
};

/**
 * A broker: a log of payloads, and beside it the ring of their headers. One publisher writes both ("one writer per
 * ring"), one scanner reads the headers.
 *
 *     publisher: room? -> payload -> header -> ticket -> flush -> doorbell       scanner: doorbell -> header -> push
 *                  ^                                                                                          |
 *                  +---------------- acknowledged / released <--- sequencer, subscriber <---------------------+
 *
 * The doorbell tells how far the ring is filled. It is a line in coherent memory, one per broker: while nothing comes,
 * its reader finds it in its own cache and evicts nothing. (Between hosts it would be a message, or a line of the
 * device's coherent part.)
 */
class Broker {
 public:
  Broker(const BrokerConfig& config, Region& region);

  static std::size_t region_bytes(const BrokerConfig& config);

  BrokerId id() const { return config_.id; }

  BatchHeader& header(Position position) { return headers_[position % headers_.size()]; }
  std::uint64_t log_offset(Position position) const { return position % cells_ * config_.batch_bytes; }
  std::byte* payload(std::uint64_t log_offset) { return &log_[log_offset]; }

  /// Batches that may be on their way at once.
  std::size_t window() const { return window_; }

  /// Publisher: batches in the ring, as a position past the last. Written after the ticket, with release.
  alignas(kCacheLine) std::atomic<Position> doorbell;
  Signal rung;

  /// Sequencer (orders 0 and 1: scanner): all before it have their place. What a publisher waits for.
  alignas(kCacheLine) std::atomic<Position> acknowledged;
  /// Whoever is last to look at a payload: all before it may be overwritten.
  std::atomic<Position> released;
  Signal moved;

 private:
  const BrokerConfig config_;
  const std::size_t cells_;
  const std::size_t window_;
  const std::span<BatchHeader> headers_;
  const std::span<std::byte> log_;
};

}  // namespace sequencer
