#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sequencer/broker.hpp"
#include "sequencer/global_order.hpp"
#include "sequencer/order_check.hpp"

namespace sequencer {

/// Follows the index, in order, and checks everything on the way. With `payload` it reads each message too, and is the
/// one who releases the logs.
class Subscriber {
 public:
  /// Told of each entry as it is read.
  using OnRead = std::function<void(const GlobalOrderEntry&)>;

  Subscriber(GlobalOrderIndex& index, std::span<Broker* const> brokers, bool payload, OnRead on_read);

  /// Whatever is there; how many entries that was.
  std::size_t read();

  /// Whether read() would find anything to do.
  bool behind() const;

  /// Not while another thread reads.
  OrderCheck& check() { return check_; }

 private:
  GlobalOrderIndex& index_;
  const std::span<Broker* const> brokers_;
  const bool payload_;
  const OnRead on_read_;
  OrderCheck check_;
  std::uint64_t next_ = 0;
  std::vector<Position> acknowledged_;
};

}  // namespace sequencer
