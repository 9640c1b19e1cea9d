#include "stepper.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "variants.hpp"

namespace sequencer::python {
namespace {

// Far beyond what anybody steps through by hand, and far below what there is no memory for.
constexpr std::size_t kMost = 1 << 20;

const BufferConfig& checked(const BufferConfig& config) {
  if (config.scanners == 0 || config.capacity == 0 || config.scanners > kMost / config.capacity) {
    throw std::invalid_argument("scanners and capacity are at least 1, and together at most " + std::to_string(kMost));
  }
  return config;
}

}  // namespace

Stepper::Stepper(const std::string& variant, const BufferConfig& config)
    : buffer_(make_buffer(variant, checked(config))), next_(config.scanners), epoch_(config.first_epoch) {}

std::optional<PendingBatch> Stepper::push(std::size_t scanner) {
  if (scanner >= next_.size()) {
    throw std::out_of_range("there are " + std::to_string(next_.size()) + " scanners, numbered from 0");
  }
  PendingBatch batch;
  batch.position = next_[scanner];
  batch.epoch = epoch_;
  batch.broker = static_cast<BrokerId>(scanner);
  if (!buffer_.push(scanner, batch)) {
    return std::nullopt;
  }
  ++next_[scanner];
  pending_.push_back(batch);
  return batch;
}

bool Stepper::advance() {
  if (!buffer_.advance()) {
    return false;
  }
  ++epoch_;
  ++lag_;
  return true;
}

std::optional<Taken> Stepper::take() {
  Taken taken;
  const auto epoch = buffer_.take(
      [&](std::span<const PendingBatch> run) { taken.batches.insert(taken.batches.end(), run.begin(), run.end()); });
  if (!epoch) {
    return std::nullopt;
  }
  taken.epoch = *epoch;
  --lag_;
  for (const PendingBatch& batch : taken.batches) {
    std::erase_if(pending_, [&](const PendingBatch& one) {
      return one.broker == batch.broker && one.position == batch.position;
    });
  }
  return taken;
}

}  // namespace sequencer::python
