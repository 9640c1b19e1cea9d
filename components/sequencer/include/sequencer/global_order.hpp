#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sequencer/region.hpp"
#include "sequencer/signal.hpp"
#include "sequencer/types.hpp"

namespace sequencer {

/**
 * An entry of the global order index: a batch and its place. The first line is the order, and all that is ever flushed;
 * the second is for measuring.
 */
struct alignas(2 * kCacheLine) GlobalOrderEntry {
  /// Index of this entry + 1, so that a reader elsewhere can tell it from what the slot held a lap before.
  std::uint64_t ticket = 0;
  /// Number of the first message.
  Sequence sequence = 0;
  Epoch epoch = 0;
  Position position = 0;
  std::uint64_t log_offset = 0;
  ClientSequence client_sequence = 0;
  BrokerId broker = 0;
  ClientId client = 0;
  std::uint32_t messages = 0;
  std::uint32_t bytes = 0;

  alignas(kCacheLine) std::int64_t published_ns = 0;
  std::int64_t ordered_ns = 0;
};

static_assert(sizeof(GlobalOrderEntry) == 128);
static_assert(offsetof(GlobalOrderEntry, published_ns) == kCacheLine);

/// The global order index: a ring of entries that the sequencer alone writes and any reader follows.
class GlobalOrderIndex {
 public:
  GlobalOrderIndex(std::size_t capacity, Region& region) : entries_(region.allocate<GlobalOrderEntry>(capacity)) {}

  static std::size_t region_bytes(std::size_t capacity) { return Region::bytes_for<GlobalOrderEntry>(capacity); }

  GlobalOrderEntry& at(std::uint64_t index) { return entries_[index % entries_.size()]; }
  std::size_t capacity() const { return entries_.size(); }

  /// Sequencer: entries before it are complete. Written with release, once per epoch or once per entry.
  alignas(kCacheLine) std::atomic<std::uint64_t> committed{0};
  Signal grown;

  /// The slowest reader: entries before it may be overwritten.
  alignas(kCacheLine) std::atomic<std::uint64_t> read{0};
  Signal drained;

 private:
  const std::span<GlobalOrderEntry> entries_;
};

}  // namespace sequencer
