#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perflab/bench/checks.hpp"
#include "perflab/bench/parameters.hpp"
#include "perflab/bench/sample.hpp"

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

/// What a scenario tells about itself in `describe`.
struct ScenarioSpec {
  /// The name after `--scenario`.
  std::string name;
  /// A short heading.
  std::string title;
  /// What one operation is.
  std::string operation;
  /// The metric that comparisons use unless another one is asked for; its name is not shown.
  Metric headline;
  std::vector<Metric> metrics;
  std::vector<Parameter> parameters;

  /// The parameters' defaults, for harnesses other than the labkit's.
  Parameters defaults() const { return Parameters::bind(parameters, {}); }
};

/// What a scenario is run with.
struct Setting {
  /// The values of its parameters.
  Parameters parameters;
  /// From `--seed`: whatever is random hangs on it.
  std::int64_t seed = 1;
  /// Where it records what it validated; outlives the experiment.
  Checks* checks = nullptr;
  /// How long a sample is meant to last. An experiment that runs a harness of its own tells it this.
  Nanoseconds sample_time{};
};

/// A set-up scenario. Warm-up and samples repeat it. Its destructor takes down what is left, without judging it.
class Experiment {
 public:
  Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;
  virtual ~Experiment() = default;

  /// Performs the scenario once, times it with its own clock, records the outcome in the sample, and validates it
  /// outside the timed region. No I/O in here.
  ///
  /// Throws Error of kind validation if the outcome is wrong.
  virtual void repeat(Sample& sample) = 0;

  /// Ends it, and makes the checks that can only be made at the end; throws as `repeat`.
  virtual void close() {}
};

/// Something that can be measured of every variant. It keeps its own clock. `Subject` is what a variant hands to it.
template <class Subject>
class Scenario {
 public:
  virtual ~Scenario() = default;

  virtual ScenarioSpec spec() const = 0;

  /// Sets up everything that outlives a repetition; none of it is timed.
  virtual std::unique_ptr<Experiment> open(const Subject& subject, Setting setting) const = 0;
};

/// What a variant stands for in its topic.
enum class Role {
  /// The system as the report found it.
  kBefore,
  /// The system as the report fixed it.
  kAfter,
  /// What a user would pick instead.
  kPeer,
  /// This project's own best.
  kLab,
  /// A reader's plug-in.
  kYours,
};

/// As the protocol writes it.
const char* name_of(Role role);

/// One implementation of the component.
struct Variant {
  /// The name after `--variant`.
  std::string name;
  Role role;
  /// One line.
  std::string description;
  /// Where its code is, relative to the component's folder.
  std::string source;
  /// The scenarios that it does not support.
  std::vector<std::string> without = {};
  /// The statements of the contract that it is known to break.
  std::vector<std::string> findings = {};

  bool supports(const std::string& scenario) const;
};

}  // namespace perflab
