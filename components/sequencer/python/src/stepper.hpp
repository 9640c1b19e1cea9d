#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sequencer/any_epoch_buffer.hpp"

namespace sequencer::python {

/// An epoch that was taken, and its batches as they were shown.
struct Taken {
  Epoch epoch = 0;
  std::vector<PendingBatch> batches;
};

/// An epoch buffer with everybody around it: scanners that number their batches, the driver and the sequencer, each of
/// which does its next step when it is told to, and all on one thread. So no step comes in the middle of another one,
/// and no variant's behaviour is undefined here.
class Stepper {
 public:
  /// @throws std::invalid_argument for an unknown variant, or no scanners.
  Stepper(const std::string& variant, const BufferConfig& config);

  /// The scanner's next batch, as the buffer took it; nothing if it had no room.
  /// @throws std::out_of_range for a scanner that there is not.
  std::optional<PendingBatch> push(std::size_t scanner);

  bool advance();

  std::optional<Taken> take();

  /// What was pushed and has not been taken, in the order pushed.
  const std::vector<PendingBatch>& pending() const { return pending_; }

  /// Epochs that have ended, and not been taken.
  std::size_t lag() const { return lag_; }

  /// The current epoch.
  Epoch epoch() const { return epoch_; }

 private:
  AnyEpochBuffer buffer_;
  std::vector<Position> next_;
  std::vector<PendingBatch> pending_;
  Epoch epoch_;
  std::size_t lag_ = 0;
};

}  // namespace sequencer::python
