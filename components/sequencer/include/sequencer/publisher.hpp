#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequencer/broker.hpp"
#include "sequencer/flush.hpp"
#include "sequencer/function_ref.hpp"
#include "sequencer/types.hpp"

namespace sequencer {

/// Who sends a batch, and as which of that client's.
struct Origin {
  ClientId client = 0;
  ClientSequence sequence = 0;
  /// The client's number of the batch's first message.
  std::uint64_t first_message = 0;
};

/// What a broker's receiving thread does: payload into the log, message by message, then the header, then the doorbell.
/// One per broker, side by side in a vector: no two on one line.
class alignas(kCacheLine) Publisher {
 public:
  Publisher(Broker& broker, std::size_t message_bytes, std::size_t batch_bytes, const FlushPolicy& flush);

  std::uint32_t messages_per_batch() const { return messages_; }
  Position position() const { return position_; }

  /// Waits for room, then asks whose batch it is; false if `stop` was set meanwhile.
  bool publish(FunctionRef<Origin()> from, const std::atomic<bool>& stop);

  /// Copies payloads as so many calls of publish() would, where they would. Only if nobody needs what is there any more.
  void copy(std::uint64_t batches) const;

  /// Until everything published has its place; false if `stop` was set meanwhile.
  bool wait_until_acknowledged(const std::atomic<bool>& stop);

 private:
  void write_payload(std::byte* to, const Origin& origin) const;

  Broker& broker_;
  Flusher flusher_;
  const std::size_t message_bytes_;
  const std::uint32_t messages_;
  /// Stands for what came in from the network.
  const std::vector<std::byte> received_;
  Position position_ = 0;
};

static_assert(sizeof(Publisher) % kCacheLine == 0);

}  // namespace sequencer
