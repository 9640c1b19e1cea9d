#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <utility>

#include "parameters.hpp"
#include "pipeline_parameters.hpp"
#include "scenarios.hpp"
#include "sequencer/clock.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

/// A batch per broker now and then, so that nothing waits behind anything: what remains is the epoch, and the way.
class Waiting : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Waiting(const Subject& subject, perflab::Setting setting)
      : setting_(std::move(setting)),
        until_read_(setting_.parameters.get_string("until") == "read"),
        epoch_(epoch_of(setting_.parameters)),
        each_(setting_.parameters.count("brokers"), 1),
        random_(static_cast<std::uint64_t>(setting_.seed)),
        pipeline_(configure(subject), subject.make) {
    latencies_.reserve();
  }

  void repeat(perflab::Sample& sample) override {
    // The last acknowledgement came with an epoch's end; what follows it at once would always wait for a whole one.
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::uniform_int_distribution<std::int64_t>(0, 2 * epoch_.count())(random_)));
    latencies_ = {};
    latencies_.reserve();
    const auto published = pipeline_.publish(each_);
    due_ += published.batches;
    for (std::uint64_t read = 0; (read = read_.load(std::memory_order_acquire)) < due_ && is_whole(published);) {
      read_.wait(read, std::memory_order_acquire);
    }
    setting_.checks->require("every batch is acknowledged", is_whole(published),
                             [&] { return std::to_string(published.batches) + " were"; });
    sample.add(static_cast<double>(published.batches), published.elapsed);
    sample.latencies(latencies_);
  }

  void close() override { require_order(pipeline_, *setting_.checks); }

 private:
  sequencer::PipelineConfig configure(const Subject& subject) {
    sequencer::PipelineConfig config = pipeline_of(setting_.parameters, subject);
    config.message_bytes = setting_.parameters.count("batch-bytes");
    config.batch_bytes = setting_.parameters.count("batch-bytes");
    config.log_bytes = 64 * config.batch_bytes;
    config.slots = 1'024;
    config.time_stamps = true;
    config.on_read = [this](const sequencer::GlobalOrderEntry& entry) { heard(entry); };
    return config;
  }

  /// On the subscriber's thread.
  void heard(const sequencer::GlobalOrderEntry& entry) {
    const std::int64_t end = until_read_ ? sequencer::now_ns() : entry.ordered_ns;
    latencies_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, end - entry.published_ns)));
    read_.fetch_add(1, std::memory_order_release);
    read_.notify_one();
  }

  bool is_whole(const sequencer::Pipeline::Published& published) const { return published.batches == each_.size(); }

  perflab::Setting setting_;
  const bool until_read_;
  const std::chrono::nanoseconds epoch_;
  const std::vector<std::uint64_t> each_;
  std::mt19937_64 random_;
  // The subscriber's between publish and its count in read_.
  perflab::Latencies latencies_;
  std::atomic<std::uint64_t> read_{0};
  std::uint64_t due_ = 0;
  sequencer::Pipeline pipeline_;
};

perflab::ScenarioSpec Waiting::spec() {
  return {.name = "latency",
          .title = "From publish to its place in the order",
          .operation = "a batch, published alone and acknowledged",
          .headline = {"p50", "p50", "ns", Better::kLower},
          .metrics = percentile_metrics(),
          .parameters =
              std::vector<Parameter>{
                  Parameter::of_choice("until", {"read", "ordered"},
                                       "the end: a subscriber has read the entry, or the sequencer has written it"),
                  Parameter::of_int("batch-bytes", 4'096, 64, 1 << 24, "of a batch, in bytes")} +
              pipeline_parameters({"2"})};
}

}  // namespace

void add_latency(Program& program) { program.scenario<Waiting>(); }

}  // namespace sequencer_bench
