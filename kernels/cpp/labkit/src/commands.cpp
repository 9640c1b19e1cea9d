#include "commands.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

// A profiler that watches this process starts and stops at these. Each has code of its own, or a linker could fold
// them.
extern "C" {
[[gnu::noinline, gnu::used]] void perflab_timed_begin() { asm volatile("# begin" ::: "memory"); }
[[gnu::noinline, gnu::used]] void perflab_timed_end() { asm volatile("nop" ::: "memory"); }
}

namespace perflab {
namespace {

/// How many times as long as asked a sample may last by the wall clock.
constexpr int kMostWall = 4;

/// Repeats the experiment until it has run for so long.
Sample repeat_for(Nanoseconds time, Experiment& experiment) {
  Sample sample;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kMostWall * time;
  while (sample.total() < time && (sample.total() == Nanoseconds::zero() || Clock::now() < end)) {
    const Nanoseconds before = sample.total();
    experiment.repeat(sample);
    if (sample.total() == before) {
      throw Error::internal("a repetition recorded no time: the sample would never end");
    }
  }
  return sample;
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
  const auto milliseconds = [&](const char* option, std::int64_t least) {
    return std::chrono::milliseconds(line.whole(option, 1'000, least));
  };
  const Nanoseconds warmup = milliseconds("--warmup-ms", 0);
  const Nanoseconds length = milliseconds("--sample-ms", 1);
  const std::int64_t samples = line.whole("--samples", 5, 1);
  const std::int64_t seed = line.whole("--seed", 1, std::numeric_limits<std::int64_t>::min());
  const Program::AnyScenario& scenario = program.scenario(line.required("--scenario"));
  const Program::AnyVariant& variant = program.variant(line.required("--variant"));
  const std::string& name = scenario.spec.name;
  if (!variant.variant.supports(name)) {
    throw Error::usage("variant '" + variant.variant.name + "' does not support scenario '" + name + "'");
  }
  Parameters parameters = Parameters::bind(scenario.spec.parameters, line.pairs("--param"));
  writer.line(start_line(program, name, variant.variant.name, parameters, seed));

  Checks checks;
  const auto experiment = scenario.open(variant.subject.get(), {std::move(parameters), seed, &checks, length});
  repeat_for(warmup, *experiment);
  double operations = 0;
  Nanoseconds time{};
  for (std::int64_t i = 0; i < samples; ++i) {
    perflab_timed_begin();
    const Sample sample = repeat_for(length, *experiment);
    perflab_timed_end();
    operations += sample.ops();
    time += sample.total();
    writer.line(to_json(sample, i));
  }
  experiment->close();
  writer.line({{"type", "end"},
               {"samples", samples},
               {"ops", shortest(operations)},
               {"ns", time.count()},
               {"validation", {{"passed", true}, {"checks", checks.passed()}}}});
  return 0;
}

namespace {

/// The one that was named, or else the reader's own.
std::vector<const Program::AnyVariant*> chosen(const Program& program, const CommandLine& line) {
  if (const auto name = line.value("--variant")) {
    return {&program.variant(*name)};
  }
  std::vector<const Program::AnyVariant*> yours;
  for (const Program::AnyVariant& one : program.variants) {
    if (one.variant.role == Role::kYours) {
      yours.push_back(&one);
    }
  }
  if (yours.empty()) {
    throw Error::usage("there is nothing to check: name a --variant or a --plugin");
  }
  return yours;
}

bool is_known(const Variant& variant, const std::string& statement) {
  return std::find(variant.findings.begin(), variant.findings.end(), statement) != variant.findings.end();
}

}  // namespace

int contract(const Program& program, const CommandLine& line, ProtocolWriter& writer) {
  const std::chrono::milliseconds limit(line.whole("--limit-ms", 20'000, 1));
  int checks = 0;
  int failed = 0;
  int findings = 0;
  for (const Program::AnyVariant* one : chosen(program, line)) {
    const void* subject = one->subject.get();
    for (const Program::AnyCheck& check : program.contract) {
      if (!check.applies(subject)) {
        continue;
      }
      const Evidence evidence = run_apart([&] { return check.body(subject); }, limit);
      const bool known = evidence.has_value() && is_known(one->variant, check.statement);
      ++checks;
      findings += known ? 1 : 0;
      failed += evidence.has_value() && !known ? 1 : 0;
      writer.line({{"type", "check"},
                   {"variant", one->variant.name},
                   {"name", check.statement},
                   {"passed", !evidence.has_value()},
                   {"known", known},
                   {"message", evidence.value_or("")}});
    }
  }
  writer.line({{"type", "end"}, {"checks", checks}, {"failed", failed}, {"findings", findings}});
  return failed == 0 ? 0 : static_cast<int>(Kind::kValidation);
}

}  // namespace perflab
