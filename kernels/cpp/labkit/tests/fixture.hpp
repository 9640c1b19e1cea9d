#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perflab/bench/bench.hpp"

namespace perflab {

/// What a scenario did.
struct Deeds {
  int repetitions = 0;
  bool closed = false;
};

/// A component whose subject is a number, and what its program printed last.
class Fixture {
 public:
  Fixture();

  int run(std::vector<std::string> arguments);

  /// Runs `counting` of `four` for a sample of one repetition, without warm-up.
  int run_once(const std::vector<std::string>& more);

  const nlohmann::json& last() const { return lines.back(); }
  std::vector<std::string> types() const;

  Bench<int> bench{"fixture"};
  Deeds deeds;
  std::string text;
  std::vector<nlohmann::json> lines;
};

inline const std::string kIsEven = "is even";

}  // namespace perflab
