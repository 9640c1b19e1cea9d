#pragma once

#include "command_line.hpp"
#include "perflab/bench/usage.hpp"

namespace perflab {

/// How long to measure, as the command line says.
struct RunOptions {
  /// How long to run before the first sample.
  Nanoseconds warmup;
  /// The intended length of a sample.
  Nanoseconds sample;
  std::int64_t samples;
  /// Makes whatever is random repeatable.
  std::int64_t seed;

  static RunOptions read(const CommandLine& line);
};

}  // namespace perflab
