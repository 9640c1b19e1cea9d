#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sequencer/broker.hpp"
#include "sequencer/global_order.hpp"
#include "sequencer/prefix.hpp"

namespace sequencer {

/// Reads the order as it is meant to be kept, and remembers where it is not. Knows nothing of how it was made.
class OrderCheck {
 public:
  explicit OrderCheck(std::size_t brokers) : brokers_(brokers) {}

  /// The next entry of the index.
  void accept(const GlobalOrderEntry& entry);

  /// Each message of the entry: the client's, in its place. Its payload must not have been released.
  void accept_payload(const GlobalOrderEntry& entry, Broker& broker);

  /// What was published (`batches`, by broker) must have come, all of it.
  void finish(std::span<const std::uint64_t> batches);

  /// The first few violations in words, and how many there were.
  const std::vector<std::string>& violations() const { return violations_; }
  std::uint64_t count() const { return count_; }

  std::uint64_t entries() const { return index_; }

 private:
  void violated(const std::string& what);

  struct OfBroker {
    Position next = 0;
    Prefix seen;
    std::uint64_t came = 0;
  };

  std::vector<OfBroker> brokers_;
  std::uint64_t index_ = 0;
  Sequence sequence_ = 0;
  Epoch epoch_ = 0;
  std::uint64_t count_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace sequencer
