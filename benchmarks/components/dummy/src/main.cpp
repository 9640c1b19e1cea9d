// Work with a slow-down of known size: a variant does `factor` times the work
// of the first one and counts the same operations, so that the true ratio of
// their speeds is 1 / factor, whatever the machine.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "perflab/bench/bench.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// How much more work than the first variant's.
using Factor = double;

perflab::ScenarioSpec spec_of(std::string name, std::string title,
                              std::string operation, std::int64_t operations) {
  return {
      std::move(name),
      std::move(title),
      std::move(operation),
      {"", "time", "ns", perflab::Better::kLower},
      {},
      {perflab::Parameter::of_int("operations", operations, 1, 1'000'000'000,
                                  "operations of a sample")}};
}

std::uint64_t times(std::uint64_t operations, Factor factor) {
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(operations) * factor));
}

/// A repetition of fixed work: its size does not follow `--sample-ms`, so that
/// whole processes can be timed, too.
class Work : public perflab::Experiment {
public:
  Work(Factor factor, const perflab::Setting &setting)
      : operations_(static_cast<std::uint64_t>(
            setting.parameters.get_int("operations"))),
        steps_(times(operations_, factor)), checks_(setting.checks) {}

  void repeat(perflab::Sample &sample) final {
    const auto begun = Clock::now();
    const auto done = perform(steps_);
    sample.add(static_cast<double>(operations_), Clock::now() - begun);
    checks_->require("each step was made once", done == steps_,
                     [&] { return std::to_string(done) + " were made"; });
  }

protected:
  /// Makes so many steps, and counts them.
  virtual std::uint64_t perform(std::uint64_t steps) = 0;

private:
  std::uint64_t operations_;
  std::uint64_t steps_;
  perflab::Checks *checks_;
};

/// One thread, and each step needs the one before: nothing but the clock rate
/// and interruptions make forks differ.
class Computing final : public Work {
public:
  using Work::Work;

private:
  std::uint64_t perform(std::uint64_t steps) override {
    std::uint64_t made = 0;
    for (; made < steps; ++made) {
      // Xorshift (Marsaglia 2003); the compiler may not look through the memory
      // that it ends up in.
      state_ ^= state_ << 13;
      state_ ^= state_ >> 7;
      state_ ^= state_ << 17;
    }
    sink_ = state_;
    return made;
  }

  std::uint64_t state_ = 88172645463325252U;
  volatile std::uint64_t sink_ = 0;
};

/// Two threads that take turns at a lock. How they fall into step is drawn anew
/// in each process.
class Contending final : public Work {
public:
  using Work::Work;

private:
  std::uint64_t perform(std::uint64_t steps) override {
    counter_ = 0;
    const auto half = steps / 2;
    std::thread other([&] { count(half); });
    count(steps - half);
    other.join();
    return counter_;
  }

  void count(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      const std::scoped_lock held(lock_);
      ++counter_;
    }
  }

  std::mutex lock_;
  std::uint64_t counter_ = 0;
};

class Cpu final : public perflab::Scenario<Factor> {
public:
  perflab::ScenarioSpec spec() const override {
    return spec_of("cpu", "A computation",
                   "a step that depends on the one before", 5'000'000);
  }
  std::unique_ptr<perflab::Experiment>
  open(const Factor &factor, perflab::Setting setting) const override {
    return std::make_unique<Computing>(factor, setting);
  }
};

class Contended final : public perflab::Scenario<Factor> {
public:
  perflab::ScenarioSpec spec() const override {
    return spec_of("contended", "A contended lock",
                   "a step under the lock, on one of two threads", 200'000);
  }
  std::unique_ptr<perflab::Experiment>
  open(const Factor &factor, perflab::Setting setting) const override {
    return std::make_unique<Contending>(factor, setting);
  }
};

perflab::Variant variant(std::string name, perflab::Role role,
                         std::string description) {
  return {std::move(name), role, std::move(description), "src/main.cpp"};
}

} // namespace

int main(int argc, char **argv) {
  auto bench = perflab::Bench<Factor>("dummy");
  bench.scenario<Cpu>().scenario<Contended>();
  bench.variant(variant("base", perflab::Role::kBefore, "the work"), 1.0);
  bench.variant(variant("same", perflab::Role::kAfter, "the same work"), 1.0);
  for (const int percent : {1, 2, 10, 20}) {
    const auto more = std::to_string(percent);
    bench.variant(
        variant("plus-" + more, perflab::Role::kAfter, more + " % more work"),
        1.0 + percent / 100.0);
  }
  return bench
      .check({"all work is done",
              [](const Factor &factor) -> perflab::Evidence {
                if (factor < 1) {
                  return "it does less";
                }
                return std::nullopt;
              }})
      .main(argc, argv);
}
