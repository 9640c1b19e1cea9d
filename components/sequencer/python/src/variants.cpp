#include "variants.hpp"

#include <array>
#include <stdexcept>

#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"

namespace sequencer::python {
namespace {

struct Variant {
  const char* name;
  AnyEpochBuffer (*make)(const BufferConfig&);
};

constexpr std::array kVariants{
    Variant{"mutex", AnyEpochBuffer::of<MutexBuffer<>>},
    Variant{"per-scanner-published", AnyEpochBuffer::of<PerScannerPublishedBuffer<>>},
    Variant{"per-scanner-locked", AnyEpochBuffer::of<PerScannerLockedBuffer<>>},
    Variant{"sealed-epochs", AnyEpochBuffer::of<SealedEpochsBuffer<>>},
    Variant{"lab", AnyEpochBuffer::of<LabBuffer<>>},
};

}  // namespace

std::vector<std::string> variants() {
  std::vector<std::string> names;
  for (const Variant& variant : kVariants) {
    names.emplace_back(variant.name);
  }
  return names;
}

AnyEpochBuffer make_buffer(const std::string& variant, const BufferConfig& config) {
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
