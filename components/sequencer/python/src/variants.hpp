#pragma once

#include <string>
#include <vector>

#include "sequencer/any_epoch_buffer.hpp"

namespace sequencer::python {

/// Names as the bench program has them.
std::vector<std::string> variants();

/// @throws std::invalid_argument for a name that is none; says which there are.
AnyEpochBuffer make_buffer(const std::string& variant, const BufferConfig& config);

/// The same buffer, made of primitives whose every access of shared memory is a step of Turns.
AnyEpochBuffer make_stepped_buffer(const std::string& variant, const BufferConfig& config);

}  // namespace sequencer::python
