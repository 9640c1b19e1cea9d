#include "any_buffer.hpp"

#include <array>
#include <stdexcept>

#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"

namespace sequencer::python {
namespace {

template <EpochBuffer Buffer>
class Erased final : public AnyBuffer {
 public:
  explicit Erased(const BufferConfig& config) : buffer_(config) {}

  bool push(std::size_t scanner, const PendingBatch& batch) override { return buffer_.push(scanner, batch); }

  bool advance() override { return buffer_.advance(); }

  std::optional<Taken> take() override {
    Taken taken;
    const auto epoch = buffer_.take(
        [&](std::span<const PendingBatch> run) { taken.batches.insert(taken.batches.end(), run.begin(), run.end()); });
    if (!epoch) {
      return std::nullopt;
    }
    taken.epoch = *epoch;
    return taken;
  }

 private:
  Buffer buffer_;
};

template <EpochBuffer Buffer>
std::unique_ptr<AnyBuffer> erased(const BufferConfig& config) {
  return std::make_unique<Erased<Buffer>>(config);
}

struct Variant {
  const char* name;
  std::unique_ptr<AnyBuffer> (*make)(const BufferConfig&);
};

constexpr std::array kVariants{
    Variant{"mutex", erased<MutexBuffer<>>},
    Variant{"per-scanner-published", erased<PerScannerPublishedBuffer<>>},
    Variant{"per-scanner-locked", erased<PerScannerLockedBuffer<>>},
    Variant{"sealed-epochs", erased<SealedEpochsBuffer<>>},
    Variant{"lab", erased<LabBuffer<>>},
};

}  // namespace

std::vector<std::string> variants() {
  std::vector<std::string> names;
  for (const Variant& variant : kVariants) {
    names.emplace_back(variant.name);
  }
  return names;
}

std::unique_ptr<AnyBuffer> make_buffer(const std::string& variant, const BufferConfig& config) {
  std::string known;
  for (const Variant& one : kVariants) {
    if (one.name == variant) {
      return one.make(config);
    }
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw std::invalid_argument("no variant '" + variant + "'; there are: " + known);
}

}  // namespace sequencer::python
