#include <utility>

#include "parameters.hpp"
#include "scenarios.hpp"
#include "tally.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

/// One epoch after the other, filled by all brokers and then taken. One thread does everything, so that nothing is
/// timed but the sequencer's own work.
class Merging : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Merging(const Subject& subject, perflab::Setting setting)
      : setting_(std::move(setting)),
        brokers_(setting_.parameters.count("brokers")),
        each_((setting_.parameters.count("batches") + brokers_ - 1) / brokers_),
        buffer_(subject.make({.scanners = brokers_, .capacity = 2 * each_ + 1, .first_epoch = 0})),
        tally_(brokers_, 0) {}

  void repeat(perflab::Sample& sample) override {
    perflab::Nanoseconds taking{};
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      fill();
      const auto begun = perflab::Clock::now();
      const auto taken = buffer_.take(tally_);
      taking += perflab::Clock::now() - begun;
      setting_.checks->require("an epoch that has ended can be taken", taken.has_value(),
                               [] { return "it could not"; });
      tally_.took(*taken);
    }
    sample.add(kEpochs, taking);
    sample.count("batches", static_cast<double>(kEpochs * brokers_ * each_));
    sample.count("batches_ns", static_cast<double>(taking.count()) / static_cast<double>(brokers_ * each_));
  }

  void close() override { tally_.require(*setting_.checks, pushed_); }

 private:
  static constexpr int kEpochs = 100;

  void fill() {
    for (std::size_t broker = 0; broker < brokers_; ++broker) {
      PendingBatch first;
      first.broker = static_cast<sequencer::BrokerId>(broker);
      first.position = pushed_;
      buffer_.push_run(broker, first, each_);
    }
    pushed_ += each_;
    buffer_.advance();
  }

  perflab::Setting setting_;
  const std::size_t brokers_;
  const std::uint64_t each_;
  AnyEpochBuffer buffer_;
  Tally tally_;
  std::uint64_t pushed_ = 0;
};

perflab::ScenarioSpec Merging::spec() {
  return {.name = "merge",
          .title = "What an epoch costs the sequencer",
          .operation = "an epoch, taken with all its batches",
          .headline = {"time", "time", "ns/epoch", Better::kLower},
          .metrics = {{"batch", "counter:batches_ns/op", "ns/batch", Better::kLower},
                      {"rate", "counter:batches/s", "batches/s", Better::kHigher}},
          .parameters = {Parameter::of_int("brokers", 4, 1, 64, "whose scanners push"),
                         Parameter::of_int("batches", 1'000, 1, 1'000'000, "in an epoch, from all brokers")}};
}

}  // namespace

void add_merge(Program& program) { program.scenario<Merging>(); }

}  // namespace sequencer_bench
