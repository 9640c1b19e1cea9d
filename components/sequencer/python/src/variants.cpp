#include "variants.hpp"

#include <array>
#include <stdexcept>

#include "interleaving/stepped_primitives.hpp"
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
  AnyEpochBuffer (*make_stepped)(const BufferConfig&);
};

template <template <class> class Buffer>
constexpr Variant named(const char* name) {
  return {name, AnyEpochBuffer::of<Buffer<Primitives>>, AnyEpochBuffer::of<Buffer<SteppedPrimitives>>};
}

constexpr std::array kVariants{
    named<MutexBuffer>("mutex"),
    named<PerScannerPublishedBuffer>("per-scanner-published"),
    named<PerScannerLockedBuffer>("per-scanner-locked"),
    named<SealedEpochsBuffer>("sealed-epochs"),
    named<LabBuffer>("lab"),
};

const Variant& find(const std::string& name) {
  std::string known;
  for (const Variant& one : kVariants) {
    if (one.name == name) {
      return one;
    }
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw std::invalid_argument("no variant '" + name + "'; there are: " + known);
}

}  // namespace

std::vector<std::string> variants() {
  std::vector<std::string> names;
  for (const Variant& variant : kVariants) {
    names.emplace_back(variant.name);
  }
  return names;
}

AnyEpochBuffer make_buffer(const std::string& variant, const BufferConfig& config) {
  return find(variant).make(config);
}

AnyEpochBuffer make_stepped_buffer(const std::string& variant, const BufferConfig& config) {
  return find(variant).make_stepped(config);
}

}  // namespace sequencer::python
