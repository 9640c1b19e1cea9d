#include "sequencer/order_check.hpp"

#include <cstring>

#include "sequencer/message.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

namespace {

constexpr std::size_t kRemembered = 8;

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

void OrderCheck::accept(const GlobalOrderEntry& entry) {
  if (entry.ticket != index_ + 1) {
    violated("entry " + number(index_) + " carries the ticket " + number(entry.ticket));
  }
  ++index_;
  if (entry.sequence != sequence_) {
    violated("the sequence has " + number(entry.sequence) + " where " + number(sequence_) + " is next");
  }
  sequence_ = entry.sequence + entry.messages;
  if (index_ > 1 && is_after(epoch_, entry.epoch)) {
    violated("epoch " + number(entry.epoch) + " after " + number(epoch_));
  }
  epoch_ = entry.epoch;

  if (entry.broker >= brokers_.size()) {
    violated("there is no broker " + number(entry.broker));
    return;
  }
  OfBroker& broker = brokers_[entry.broker];
  if (!broker.seen.add(entry.position)) {
    violated("batch " + number(entry.position) + " of broker " + number(entry.broker) + " twice");
  } else {
    ++broker.came;
  }
  if (entry.position != broker.next) {
    violated("broker " + number(entry.broker) + " has batch " + number(entry.position) + " where " +
             number(broker.next) + " is next");
  }
  broker.next = entry.position + 1;
}

void OrderCheck::accept_payload(const GlobalOrderEntry& entry, Broker& broker) {
  const std::byte* at = broker.payload(entry.log_offset);
  std::uint64_t first = 0;
  for (std::uint32_t i = 0; i < entry.messages; ++i) {
    MessageHeader header;
    std::memcpy(&header, at, sizeof header);
    if (i == 0) {
      first = header.number;
    }
    if (header.client != entry.client || header.number != first + i || header.bytes == 0) {
      violated("message " + number(i) + " of batch " + number(entry.position) + " of broker " + number(entry.broker) +
               " is not what was published");
      return;
    }
    at += header.bytes;
  }
}

void OrderCheck::finish(std::span<const std::uint64_t> batches) {
  for (std::size_t broker = 0; broker < brokers_.size(); ++broker) {
    if (brokers_[broker].came != batches[broker]) {
      violated("of broker " + number(broker) + " came " + number(brokers_[broker].came) + " of " +
               number(batches[broker]) + " batches");
    }
  }
}

void OrderCheck::violated(const std::string& what) {
  ++count_;
  if (violations_.size() < kRemembered) {
    violations_.push_back(what);
  }
}

}  // namespace sequencer
