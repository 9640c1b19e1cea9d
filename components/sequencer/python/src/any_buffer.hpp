#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer::python {

/// An epoch that was taken, and its batches as they were shown.
struct Taken {
  Epoch epoch = 0;
  std::vector<PendingBatch> batches;
};

/// An epoch buffer of any variant, for one thread that does everybody's steps. So no call comes in the middle of
/// another one, and no variant's behaviour is undefined here.
class AnyBuffer {
 public:
  AnyBuffer() = default;
  AnyBuffer(const AnyBuffer&) = delete;
  AnyBuffer& operator=(const AnyBuffer&) = delete;
  virtual ~AnyBuffer() = default;

  virtual bool push(std::size_t scanner, const PendingBatch& batch) = 0;
  virtual bool advance() = 0;
  virtual std::optional<Taken> take() = 0;
};

/// Names as the bench program has them.
std::vector<std::string> variants();

/// @throws std::invalid_argument for a name that is none; says which there are.
std::unique_ptr<AnyBuffer> make_buffer(const std::string& variant, const BufferConfig& config);

}  // namespace sequencer::python
