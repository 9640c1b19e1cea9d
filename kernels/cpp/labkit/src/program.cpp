#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <ostream>

#include "command_line.hpp"
#include "commands.hpp"
#include "perflab/bench/bench.hpp"
#include "perflab/bench/error.hpp"
#include "protocol.hpp"

namespace perflab {
namespace {

struct Command {
  std::string name;
  std::vector<std::string> options;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"describe", {"--plugin"}},
      {"run", {"--scenario", "--variant", "--plugin", "--param", "--warmup-ms", "--sample-ms", "--samples", "--seed"}},
      {"contract", {"--plugin", "--variant", "--limit-ms"}},
  };
  return all;
}

const Command& command_named(const std::vector<std::string>& arguments) {
  const std::string name = arguments.empty() ? "" : arguments.front();
  std::vector<std::string> names;
  for (const Command& one : commands()) {
    if (one.name == name) {
      return one;
    }
    names.push_back(one.name);
  }
  throw Error::usage("unknown command '" + name + "'", names);
}

std::string help(const std::string& component) {
  std::string text =
      component + "-bench speaks the bench protocol, version " + std::to_string(kProtocolVersion) + ".\n";
  for (const Command& one : commands()) {
    text += "  " + one.name;
    for (const std::string& option : one.options) {
      text += " [" + option + " VALUE]";
    }
    text += "\n";
  }
  return text;
}

int describe(const Program& program, ProtocolWriter& writer) {
  Json scenarios = Json::array();
  for (const auto& one : program.scenarios) {
    scenarios.push_back(to_json(one.spec));
  }
  Json variants = Json::array();
  for (const auto& one : program.variants) {
    variants.push_back(to_json(one.variant, program.scenario_names()));
  }
  writer.line({{"protocol", kProtocolVersion},
               {"component", program.component},
               {"runtime", runtime_to_json()},
               {"timed_regions", true},
               {"scenarios", scenarios},
               {"variants", variants}});
  return 0;
}

int dispatch(const Program& program, std::vector<std::string> arguments, ProtocolWriter& writer) {
  const auto asks = [](const std::string& argument) { return argument == "--help" || argument == "-h"; };
  if (std::any_of(arguments.begin(), arguments.end(), asks)) {
    writer.text(help(program.component));
    return 0;
  }
  const Command& command = command_named(arguments);
  if (const auto path = take_plugin(arguments)) {
    become_plugin(*path, arguments);
  }
  const CommandLine line({arguments.begin() + 1, arguments.end()}, command.options);
  if (command.name == "describe") {
    return describe(program, writer);
  }
  return command.name == "run" ? run(program, line, writer) : contract(program, line, writer);
}

}  // namespace

std::vector<std::string> Program::scenario_names() const {
  std::vector<std::string> names;
  for (const AnyScenario& one : scenarios) {
    names.push_back(one.spec.name);
  }
  return names;
}

const Program::AnyScenario& Program::scenario(const std::string& name) const {
  for (const AnyScenario& one : scenarios) {
    if (one.spec.name == name) {
      return one;
    }
  }
  throw Error::unknown("scenario", name);
}

const Program::AnyVariant& Program::variant(const std::string& name) const {
  for (const AnyVariant& one : variants) {
    if (one.variant.name == name) {
      return one;
    }
  }
  throw Error::unknown("variant", name);
}

int Program::run(std::vector<std::string> arguments, std::ostream& out) const {
  ProtocolWriter writer(out);
  const auto stop = [&](const Error& error) {
    writer.error(error);
    return static_cast<int>(error.kind());
  };
  try {
    return dispatch(*this, std::move(arguments), writer);
  } catch (const Error& error) {
    return stop(error);
  } catch (const std::exception& problem) {
    return stop(Error::internal(problem.what()));
  }
}

int run_main(const Program& program, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (names_plugin(arguments)) {
    // Which takes standard output for itself; nothing of a variant runs before.
    return program.run(arguments, std::cout);
  }
  try {
    ProtocolOutput output;
    std::ostream out(&output);
    return program.run(arguments, out);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return static_cast<int>(Kind::kInternal);
  }
}

}  // namespace perflab
