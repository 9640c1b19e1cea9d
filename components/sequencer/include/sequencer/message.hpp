#pragma once

#include <cstdint>

#include "sequencer/types.hpp"

namespace sequencer {

/// At the beginning of each message in a batch's payload.
struct MessageHeader {
  /// Counts a client's messages from 0.
  std::uint64_t number;
  ClientId client;
  std::uint32_t bytes;
};

static_assert(sizeof(MessageHeader) == 16);

}  // namespace sequencer
