#include "sequencer/subscriber.hpp"

#include <algorithm>
#include <utility>

namespace sequencer {

Subscriber::Subscriber(GlobalOrderIndex& index, std::span<Broker* const> brokers, bool payload, OnRead on_read)
    : index_(index),
      brokers_(brokers),
      payload_(payload),
      on_read_(std::move(on_read)),
      check_(brokers.size()),
      acknowledged_(brokers.size()) {}

bool Subscriber::behind() const {
  const auto unreleased = [](const Broker* broker) {
    return broker->released.load(std::memory_order_relaxed) != broker->acknowledged.load(std::memory_order_acquire);
  };
  return index_.committed.load(std::memory_order_acquire) != next_ ||
         (payload_ && std::any_of(brokers_.begin(), brokers_.end(), unreleased));
}

std::size_t Subscriber::read() {
  // Before the index's end: the sequencer commits an entry before it acknowledges the batch, so having read up to that
  // end is having read all that was acknowledged here.
  for (std::size_t broker = 0; broker < brokers_.size(); ++broker) {
    acknowledged_[broker] = brokers_[broker]->acknowledged.load(std::memory_order_acquire);
  }
  const std::uint64_t end = index_.committed.load(std::memory_order_acquire);
  const std::uint64_t begin = next_;
  for (; next_ != end; ++next_) {
    const GlobalOrderEntry& entry = index_.at(next_);
    check_.accept(entry);
    if (payload_ && entry.broker < brokers_.size()) {
      check_.accept_payload(entry, *brokers_[entry.broker]);
    }
    if (on_read_) {
      on_read_(entry);
    }
  }
  if (end != begin) {
    index_.read.store(end, std::memory_order_release);
    index_.drained.notify();
  }
  if (payload_) {
    for (std::size_t broker = 0; broker < brokers_.size(); ++broker) {
      Broker& of = *brokers_[broker];
      if (of.released.load(std::memory_order_relaxed) != acknowledged_[broker]) {
        of.released.store(acknowledged_[broker], std::memory_order_release);
        of.moved.notify();
      }
    }
  }
  return end - begin;
}

}  // namespace sequencer
