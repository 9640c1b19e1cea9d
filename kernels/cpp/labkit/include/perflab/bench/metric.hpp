#pragma once

#include <string>

namespace perflab {

/// Which direction of a metric is an improvement.
enum class Better { kHigher, kLower };

/// A named figure of a fork, computed by `perflab` from the fork's samples.
struct Metric {
  std::string name;
  /// An expression of the protocol, such as `counter:refused/op` or `p99`.
  std::string of;
  std::string unit;
  Better better;
};

}  // namespace perflab
