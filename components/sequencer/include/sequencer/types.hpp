#pragma once

#include <cstddef>
#include <cstdint>

namespace sequencer {

/// A stretch of time that is ordered as one: what was pushed in an earlier epoch comes before what was pushed in a
/// later one.
using Epoch = std::uint64_t;

/// A place in a ring, counted from the ring's beginning of time; its slot is the position modulo the capacity.
using Position = std::uint64_t;

/// A place in the one global order. Counts messages: a batch of n takes n numbers.
using Sequence = std::uint64_t;

using BrokerId = std::uint32_t;
using ClientId = std::uint32_t;

/// Of a client's batches, in the order in which it means them.
using ClientSequence = std::uint64_t;

/// Size of what is flushed, and of what two cores cannot write at once without slowing each other down.
inline constexpr std::size_t kCacheLine = 64;

}  // namespace sequencer
