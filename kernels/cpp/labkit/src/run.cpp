#include <algorithm>

#include "commands.hpp"
#include "options.hpp"

// A profiler that watches this process starts and stops at these. Each has code of its own, or a linker could fold
// them.
extern "C" {
[[gnu::noinline, gnu::used]] void perflab_timed_begin() { asm volatile("# begin" ::: "memory"); }
[[gnu::noinline, gnu::used]] void perflab_timed_end() { asm volatile("nop" ::: "memory"); }
}

namespace perflab {
namespace {

/// Repeats the experiment until it has run for so long.
Sample repeat_for(Nanoseconds time, Experiment& experiment) {
  Sample sample;
  while (sample.total() < time) {
    const Nanoseconds before = sample.total();
    experiment.repeat(sample);
    if (sample.total() == before) {
      throw Error::internal("a repetition recorded no time: the sample would never end");
    }
  }
  return sample;
}

const Program::AnyVariant& supporting(const Program& program, const std::string& name, const std::string& scenario) {
  const Program::AnyVariant& chosen = program.variant(name);
  if (!chosen.variant.supports(scenario)) {
    std::vector<std::string> supported = program.scenario_names();
    std::erase_if(supported, [&](const std::string& other) { return !chosen.variant.supports(other); });
    throw Error::usage("variant '" + name + "' does not support scenario '" + scenario + "'", supported);
  }
  return chosen;
}

Json start_line(const Program& program, const std::string& scenario, const std::string& variant,
                const Parameters& parameters, std::int64_t seed) {
  Json values = Json::object();
  for (const auto& [name, value] : parameters.values()) {
    values[name] = to_json(value);
  }
  return {{"type", "start"},      {"protocol", kProtocolVersion}, {"component", program.component},
          {"scenario", scenario}, {"variant", variant},           {"params", values},
          {"seed", seed},         {"runtime", runtime_to_json()}};
}

}  // namespace

int run(const Program& program, const CommandLine& line, ProtocolWriter& writer) {
  const RunOptions options = RunOptions::read(line);
  const Program::AnyScenario& scenario = program.scenario(line.required("--scenario"));
  const Program::AnyVariant& variant = supporting(program, line.required("--variant"), scenario.spec.name);
  Parameters parameters = Parameters::bind(scenario.spec.parameters, line.pairs("--param"));
  writer.line(start_line(program, scenario.spec.name, variant.variant.name, parameters, options.seed));

  Checks checks;
  const auto experiment =
      scenario.open(variant.subject.get(), {std::move(parameters), options.seed, &checks, options.sample});
  if (options.warmup > Nanoseconds::zero()) {
    repeat_for(options.warmup, *experiment);
  }
  double operations = 0;
  Nanoseconds time{};
  for (std::int64_t i = 0; i < options.samples; ++i) {
    perflab_timed_begin();
    const Sample sample = repeat_for(options.sample, *experiment);
    perflab_timed_end();
    operations += sample.ops();
    time += sample.total();
    writer.line(to_json(sample, i));
  }
  experiment->close();
  writer.line({{"type", "end"},
               {"samples", options.samples},
               {"ops", shortest(operations)},
               {"ns", time.count()},
               {"validation", {{"passed", true}, {"checks", checks.passed()}}}});
  return 0;
}

}  // namespace perflab
