#pragma once

#include <concepts>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "perflab/bench/checks.hpp"
#include "perflab/bench/scenario.hpp"

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

/// Runs a program with the arguments of a `main`, on standard output.
int run_main(const Program& program, int argc, char** argv);

/**
 * A component's bench program: its scenarios, its variants and the contract that they keep.
 *
 *     int main(int argc, char** argv) {
 *       return perflab::Bench<Queue>("queues")
 *           .scenario<Burst>()
 *           .variant({"ring", perflab::Role::kLab, "a ring of slots", "include/ring.hpp"}, ring)
 *           .check({"what was put in comes out once", comes_out_once})
 *           .main(argc, argv);
 *     }
 *
 * `Subject` is what a variant hands to a scenario and to a check: a factory, most often.
 */
template <class Subject>
class Bench {
 public:
  explicit Bench(std::string component) { program_.component = std::move(component); }

  /// Adds what an experiment is about: `E::spec()` tells it, and `E` is made of a subject and a setting.
  template <class E>
    requires std::derived_from<E, Experiment>
  Bench& scenario() {
    ScenarioSpec spec = E::spec();
    program_.scenarios.push_back({std::move(spec), [](const void* subject, Setting setting) {
                                    return std::make_unique<E>(*static_cast<const Subject*>(subject),
                                                               std::move(setting));
                                  }});
    return *this;
  }

  /// Adds a Scenario, which is made of these arguments.
  template <class S, class... Args>
  Bench& scenario(Args&&... args) {
    auto made = std::make_shared<const S>(std::forward<Args>(args)...);
    program_.scenarios.push_back({made->spec(), [made](const void* subject, Setting setting) {
                                    return made->open(*static_cast<const Subject*>(subject), std::move(setting));
                                  }});
    return *this;
  }

  /// Throws std::logic_error if there is one of that name.
  Bench& variant(Variant variant, Subject subject) {
    for (const auto& other : program_.variants) {
      if (other.variant.name == variant.name) {
        throw std::logic_error("there is a variant '" + variant.name + "' already");
      }
    }
    program_.variants.push_back({std::move(variant), std::make_shared<const Subject>(std::move(subject))});
    return *this;
  }

  Bench& check(Check<Subject> check) {
    auto kept = std::make_shared<const Check<Subject>>(std::move(check));
    program_.contract.push_back(
        {kept->statement, [kept](const void* subject) { return kept->applies(*static_cast<const Subject*>(subject)); },
         [kept](const void* subject) { return kept->body(*static_cast<const Subject*>(subject)); }});
    return *this;
  }

  int main(int argc, char** argv) const { return run_main(program_, argc, argv); }

  /// As `main`, with arguments and output of one's own.
  int run(std::vector<std::string> arguments, std::ostream& out) const {
    return program_.run(std::move(arguments), out);
  }

  const Program& program() const noexcept { return program_; }

 private:
  Program program_;
};

}  // namespace perflab
