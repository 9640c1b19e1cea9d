#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "sequencer/types.hpp"

namespace sequencer {

/**
 * A slot of a broker's ring of pending batches. The first line is what the scanner needs to push the batch, the second
 * what is looked at later, if at all.
 *
 * `ticket` is written last, with release: who reads position + 1 there with acquire finds this batch, and its payload
 * in the log. A ticket of an earlier lap is a smaller number, so a slot need not be cleared before it is used again.
 */
struct alignas(2 * kCacheLine) BatchHeader {
  std::atomic<Position> ticket;
  std::uint64_t log_offset;
  ClientSequence client_sequence;
  /// Client's number of the first message, the others follow.
  std::uint64_t first_message;
  ClientId client;
  std::uint32_t messages;
  std::uint32_t bytes;
  BrokerId broker;

  /// When the publisher had the batch, before it wrote the payload; steady clock.
  alignas(kCacheLine) std::int64_t published_ns;
};

static_assert(sizeof(BatchHeader) == 128);
static_assert(std::atomic<Position>::is_always_lock_free, "must work between processes that share the region");
static_assert(std::is_trivially_destructible_v<BatchHeader>);

}  // namespace sequencer
