#pragma once

#include <cstdint>
#include <type_traits>

#include "sequencer/types.hpp"

namespace sequencer {

/// What a scanner hands to the sequencer of a batch: who, where, how much. The payload stays in the broker's log.
struct PendingBatch {
  /// In the broker's ring of batch headers. Rises by one with each batch of a broker: its FIFO order.
  Position position = 0;
  /// Written by the epoch buffer: the epoch that the scanner saw as it pushed.
  Epoch epoch = 0;
  /// Of the payload, in the broker's log.
  std::uint64_t log_offset = 0;
  ClientSequence client_sequence = 0;
  BrokerId broker = 0;
  ClientId client = 0;
  std::uint32_t messages = 0;
  std::uint32_t bytes = 0;
};

static_assert(sizeof(PendingBatch) == 48, "what the published scanner pushes");
static_assert(std::is_trivially_copyable_v<PendingBatch>);

}  // namespace sequencer
