#include "sequencer/publisher.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "sequencer/clock.hpp"
#include "sequencer/message.hpp"

namespace sequencer {

namespace {

std::uint32_t messages_in(std::size_t message_bytes, std::size_t batch_bytes) {
  if (message_bytes < sizeof(MessageHeader) || message_bytes > batch_bytes) {
    throw std::invalid_argument("a message must have room for its header of " + std::to_string(sizeof(MessageHeader)) +
                                " bytes, and fit into a batch");
  }
  return static_cast<std::uint32_t>(batch_bytes / message_bytes);
}

}  // namespace

Publisher::Publisher(Broker& broker, std::size_t message_bytes, std::size_t batch_bytes, const FlushPolicy& flush)
    : broker_(broker),
      flusher_(flush),
      message_bytes_(message_bytes),
      messages_(messages_in(message_bytes, batch_bytes)),
      received_(messages_ * message_bytes, std::byte{0x5a}) {}

bool Publisher::publish(FunctionRef<Origin()> from, const std::atomic<bool>& stop) {
  const auto room = [&] {
    return position_ - broker_.released.load(std::memory_order_acquire) < broker_.window() ||
           stop.load(std::memory_order_relaxed);
  };
  broker_.moved.wait(room);
  if (stop.load(std::memory_order_relaxed)) {
    return false;
  }

  const Origin origin = from();
  BatchHeader& header = broker_.header(position_);
  const std::int64_t published_ns = now_ns();
  const std::uint64_t log_offset = broker_.log_offset(position_);
  write_payload(broker_.payload(log_offset), origin);

  header.log_offset = log_offset;
  header.client_sequence = origin.sequence;
  header.first_message = origin.first_message;
  header.client = origin.client;
  header.messages = messages_;
  header.bytes = static_cast<std::uint32_t>(received_.size());
  header.broker = broker_.id();
  header.published_ns = published_ns;
  header.ticket.store(position_ + 1, std::memory_order_release);
  flusher_.flush(&header, sizeof header);
  flusher_.fence();

  ++position_;
  broker_.doorbell.store(position_, std::memory_order_release);
  broker_.rung.notify();
  return true;
}

void Publisher::copy(std::uint64_t batches) const {
  for (std::uint64_t i = 0; i < batches; ++i) {
    std::byte* const to = broker_.payload(broker_.log_offset(position_ + i));
    write_payload(to, {});
    // What was copied counts as read, or the copies before the last lap would be none.
    asm volatile("" : : "r"(to) : "memory");
  }
}

bool Publisher::wait_until_acknowledged(const std::atomic<bool>& stop) {
  bool all = false;
  broker_.moved.wait([&] {
    all = broker_.acknowledged.load(std::memory_order_acquire) == position_;
    return all || stop.load(std::memory_order_relaxed);
  });
  return all;
}

void Publisher::write_payload(std::byte* to, const Origin& origin) const {
  for (std::uint32_t i = 0; i < messages_; ++i, to += message_bytes_) {
    std::memcpy(to, &received_[i * message_bytes_], message_bytes_);
    const MessageHeader header{.number = origin.first_message + i,
                               .client = origin.client,
                               .bytes = static_cast<std::uint32_t>(message_bytes_)};
    std::memcpy(to, &header, sizeof header);
  }
}

}  // namespace sequencer
