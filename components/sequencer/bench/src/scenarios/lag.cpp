#include <atomic>
#include <utility>

#include "crew.hpp"
#include "parameters.hpp"
#include "perflab/bench/error.hpp"
#include "scenarios.hpp"
#include "tally.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

/// What became of a stall.
struct Recovery {
  std::uint64_t prolonged = 0;
  perflab::Nanoseconds catching_up{};
};

/// Epochs end while the sequencer stands still; then it takes all that has piled up. Scanners push all the while, a
/// burst each and again each time that an epoch has ended, so that every epoch holds some.
class Lagging : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Lagging(const Subject& subject, perflab::Setting setting)
      : setting_(std::move(setting)),
        scanners_(setting_.parameters.count("scanners")),
        burst_(setting_.parameters.count("burst")),
        stalled_(setting_.parameters.count("epochs")),
        buffer_(subject.make(config_of(setting_.parameters, scanners_))),
        tally_(scanners_, 0),
        pushed_(scanners_) {
    const std::size_t capacity = setting_.parameters.count("capacity");
    if (stalled_ * burst_ > capacity) {
      // Nobody takes meanwhile, so that a scanner would wait for ever.
      throw perflab::Error::usage("a scanner's batches of a stall do not fit",
                                  {"epochs * burst of at most " + std::to_string(capacity)});
    }
  }

  void repeat(perflab::Sample& sample) override {
    Recovery recovery;
    std::atomic<std::uint64_t> round{0};
    std::atomic<std::size_t> pushing{0};
    std::atomic<bool> done{false};
    Crew crew(scanners_, [&](std::size_t scanner) {
      std::uint64_t seen = 0;
      while (true) {
        round.wait(seen, std::memory_order_acquire);
        if (done.load(std::memory_order_acquire)) {
          return;
        }
        ++seen;
        PendingBatch first;
        first.broker = static_cast<sequencer::BrokerId>(scanner);
        first.position = pushed_[scanner];
        buffer_.push_run(scanner, first, burst_);
        pushed_[scanner] += burst_;
        pushing.fetch_sub(1, std::memory_order_release);
        pushing.notify_one();
      }
    });
    crew.go();
    const perflab::Stopwatch watch;
    for (std::size_t epoch = 0; epoch < stalled_; ++epoch) {
      pushing.store(scanners_, std::memory_order_relaxed);
      round.fetch_add(1, std::memory_order_release);
      round.notify_all();
      for (std::size_t left = scanners_; left != 0; left = pushing.load(std::memory_order_acquire)) {
        pushing.wait(left, std::memory_order_acquire);
      }
      recovery.prolonged += buffer_.advance() ? 0 : 1;
    }
    recovery.catching_up = catch_up(scanners_ * burst_ * stalled_);
    const perflab::Lap lap = watch.lap();
    done.store(true, std::memory_order_release);
    round.fetch_add(1, std::memory_order_release);
    round.notify_all();
    crew.join();
    tally_.require(*setting_.checks, pushed_.front());
    sample.add(static_cast<double>(scanners_ * burst_ * stalled_), lap);
    sample.latency(recovery.catching_up);
    sample.count("prolonged", static_cast<double>(recovery.prolonged));
  }

 private:
  /// Takes so many batches, whatever epochs they are in. A buffer that has said no holds some in an epoch that could
  /// not end: to end it and to take it belongs to catching up, or those that say no would be timed for less work.
  perflab::Nanoseconds catch_up(std::uint64_t piled_up) {
    const std::uint64_t all = tally_.came() + piled_up;
    const auto begun = perflab::Clock::now();
    take_what_has_ended();
    if (tally_.came() < all && buffer_.advance()) {
      take_what_has_ended();
    }
    return perflab::Clock::now() - begun;
  }

  void take_what_has_ended() {
    while (const auto epoch = buffer_.take(tally_)) {
      tally_.took(*epoch);
    }
  }

  perflab::Setting setting_;
  const std::size_t scanners_;
  const std::uint64_t burst_;
  const std::size_t stalled_;
  AnyEpochBuffer buffer_;
  Tally tally_;
  std::vector<std::uint64_t> pushed_;
};

perflab::ScenarioSpec Lagging::spec() {
  return {.name = "lag",
          .title = "A sequencer that stalls",
          .operation = "a batch, pushed during the stall and taken after it",
          .headline = {"catch-up", "p50", "ns to take all that has piled up", Better::kLower},
          .metrics = {{"rate", "rate", "batches/s", Better::kHigher},
                      {"p99", "p99", "ns to take all that has piled up", Better::kLower},
                      {"prolonged", "counter:prolonged/op", "epochs that could not end/batch", Better::kLower}},
          .parameters = {scanners_parameter(),
                         Parameter::of_int("epochs", 5, 1, 10'000, "that end while the sequencer stands still"),
                         Parameter::of_int("burst", 100, 1, 100'000, "batches of a scanner in an epoch"),
                         capacity_parameter()}};
}

}  // namespace

void add_lag(Program& program) { program.scenario<Lagging>(); }

}  // namespace sequencer_bench
