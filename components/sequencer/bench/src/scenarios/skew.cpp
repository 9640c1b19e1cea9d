#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "parameters.hpp"
#include "perflab/bench/benchmark_loop.hpp"
#include "pipeline_parameters.hpp"
#include "scenarios.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

/// A scanner's looks at brokers to whom nothing comes. What such brokers cost the busy ones shows in `publish` with
/// `idle`.
class Looking : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Looking(const Subject& subject, perflab::Setting setting)
      : setting_(std::move(setting)),
        scan_(scan_of(setting_.parameters, subject)),
        flush_(flush_of(setting_.parameters)),
        region_(setting_.parameters.count("brokers") * sequencer::Broker::region_bytes(kBroker)) {
    for (std::size_t i = 0; i < setting_.parameters.count("brokers"); ++i) {
      brokers_.push_back(std::make_unique<sequencer::Broker>(kBroker, region_));
      scanners_.emplace_back(*brokers_.back(), i, nullptr, scan_, flush_);
    }
  }

  void repeat(perflab::Sample& sample) override {
    std::size_t found = 0;
    const double looks = static_cast<double>(scanners_.size());
    perflab::benchmark_sample(sample, setting_.sample_time, looks, [&](std::int64_t rounds) {
      for (std::int64_t round = 0; round < rounds; ++round) {
        for (sequencer::Scanner& scanner : scanners_) {
          found += scanner.scan();
        }
      }
    });
    setting_.checks->require("nothing is found where nothing is", found == 0,
                             [&] { return std::to_string(found) + " batches were found"; });
  }

  void close() override {
    // Nor must a cheap look overlook what comes at last.
    const std::atomic<bool> go_on{false};
    for (std::size_t i = 0; i < brokers_.size(); ++i) {
      sequencer::Publisher publisher(*brokers_[i], 1'024, kBroker.batch_bytes, flush_);
      publisher.publish([] { return sequencer::Origin{}; }, go_on);
      setting_.checks->require("what comes at last is found", scanners_[i].scan() == 1,
                               [] { return "it was overlooked"; });
    }
  }

 private:
  static constexpr sequencer::BrokerConfig kBroker{.slots = 1'024, .batch_bytes = 4'096, .log_bytes = 1 << 16};

  perflab::Setting setting_;
  const sequencer::Scan scan_;
  const sequencer::FlushPolicy flush_;
  sequencer::Region region_;
  std::vector<std::unique_ptr<sequencer::Broker>> brokers_;
  std::vector<sequencer::Scanner> scanners_;
};

perflab::ScenarioSpec Looking::spec() {
  return {.name = "skew",
          .title = "Brokers to whom nothing comes",
          .operation = "a scanner's look at an idle broker",
          .headline = {"time", "time", "ns/look", Better::kLower},
          .metrics = {},
          .parameters = std::vector<Parameter>{Parameter::of_int("brokers", 4, 1, 64, "to whom nothing comes"),
                                               scan_parameter()} +
                        flush_parameters()};
}

}  // namespace

void add_skew(Program& program) { program.scenario<Looking>(); }

}  // namespace sequencer_bench
