#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "perflab/bench/check.hpp"
#include "perflab/bench/scenario.hpp"
#include "perflab/bench/variant.hpp"

namespace perflab {

/// The version of the protocol that this library speaks.
inline constexpr int kProtocolVersion = 1;

/// What `Bench` puts together, without the type of its subject: the commands are compiled once, and not per component.
struct Program {
  struct AnyScenario {
    ScenarioSpec spec;
    std::function<std::unique_ptr<Experiment>(const void* subject, Setting)> open;
  };
  struct AnyVariant {
    Variant variant;
    std::shared_ptr<const void> subject;
  };
  struct AnyCheck {
    std::string statement;
    std::function<bool(const void* subject)> applies;
    std::function<Evidence(const void* subject)> body;
  };

  std::string component;
  std::vector<AnyScenario> scenarios;
  std::vector<AnyVariant> variants;
  std::vector<AnyCheck> contract;

  std::vector<std::string> scenario_names() const;

  /// Both throw Error of kind usage if there is none of that name.
  const AnyScenario& scenario(const std::string& name) const;
  const AnyVariant& variant(const std::string& name) const;

  /// Runs one command, writes the protocol's lines, and gives back the exit status. With `--plugin PATH` it does not
  /// return, but becomes the plug-in.
  int run(std::vector<std::string> arguments, std::ostream& out) const;
};

}  // namespace perflab
