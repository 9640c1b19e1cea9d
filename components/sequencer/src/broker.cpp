#include "sequencer/broker.hpp"

#include <algorithm>

namespace sequencer {

namespace {

std::size_t cells_of(const BrokerConfig& config) {
  return std::max<std::size_t>(1, config.log_bytes / config.batch_bytes);
}

}  // namespace

Broker::Broker(const BrokerConfig& config, Region& region)
    : doorbell(0),
      acknowledged(0),
      released(0),
      config_(config),
      cells_(cells_of(config)),
      window_(std::min(config.slots, cells_)),
      headers_(region.allocate<BatchHeader>(config.slots)),
      log_(region.allocate_bytes(cells_ * config.batch_bytes)) {}

std::size_t Broker::region_bytes(const BrokerConfig& config) {
  return Region::bytes_for<BatchHeader>(config.slots) +
         Region::bytes_for<std::byte>(cells_of(config) * config.batch_bytes);
}

}  // namespace sequencer
