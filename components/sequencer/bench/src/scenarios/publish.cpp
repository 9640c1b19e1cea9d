#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "parameters.hpp"
#include "perflab/bench/error.hpp"
#include "pipeline_parameters.hpp"
#include "scenarios.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

constexpr double kMiB = 1 << 20;

/// The report's TEST_TYPE 5: brokers receive, all publishers at once, until the last batch is acknowledged.
class Publishing : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Publishing(const Subject& subject, perflab::Setting setting)
      : setting_(std::move(setting)),
        config_(configure(setting_.parameters, subject)),
        busy_(busy_brokers(setting_.parameters)),
        batches_(batches_each(setting_.parameters)),
        pipeline_(config_, subject.make) {
    pipeline_.pause();
    copied_before_ = pipeline_.copy(batches_);
  }

  void repeat(perflab::Sample& sample) override {
    pipeline_.resume();
    std::optional<perflab::Stopwatch> watch;
    perflab::Lap lap;
    const auto published =
        pipeline_.publish(batches_, {.begin = [&] { watch.emplace(); }, .end = [&] { lap = watch->lap(); }});
    setting_.checks->require("every batch is acknowledged", published.batches == busy_ * batches_.front(), [&] {
      const auto violations = pipeline_.finish();
      return violations.empty() ? std::to_string(published.batches) + " were published" : violations.front();
    });
    // Scanners that poll would take the cores from the copying, and sleeping ones would not: two roofs for one machine.
    pipeline_.pause();
    const perflab::Nanoseconds copied = pipeline_.copy(batches_);
    // The same bytes in the same manner. Whichever was fastest shows what the machine can do, publishing included, which
    // copies them, too.
    const perflab::Nanoseconds roof = std::min({copied, std::exchange(copied_before_, copied), lap.time});
    sample.add(static_cast<double>(published.batches), lap);
    sample.count("messages", static_cast<double>(published.messages));
    sample.count("mib", static_cast<double>(published.bytes) / kMiB);
    sample.count("copy_mib", static_cast<double>(published.bytes) / kMiB * static_cast<double>(lap.time.count()) /
                                 static_cast<double>(roof.count()));
    sample.count("copy_ns", static_cast<double>(roof.count()));
  }

  void close() override { require_order(pipeline_, *setting_.checks); }

 private:
  /// Of the index. As many as 128 MiB hold.
  static constexpr std::size_t kMostEntries = 1 << 20;

  static sequencer::PipelineConfig configure(const perflab::Parameters& parameters, const Subject& subject) {
    sequencer::PipelineConfig config = pipeline_of(parameters, subject);
    config.message_bytes = parameters.count("message-bytes");
    config.batch_bytes = parameters.count("batch-bytes");
    config.log_bytes = parameters.count("log-mib") << 20;
    config.read_payload = parameters.get_bool("read");
    if (parameters.count("idle") >= config.brokers) {
      throw perflab::Error::usage("no broker would be busy", {"idle of at most " + std::to_string(config.brokers - 1)});
    }
    if (config.message_bytes > config.batch_bytes || config.batch_bytes > config.log_bytes) {
      throw perflab::Error::usage("a message must fit into a batch, and a batch into a log",
                                  {"message-bytes of at most batch-bytes", "batch-bytes of at most log-mib"});
    }
    // The order is checked when the time has been taken, if the index can keep it until then.
    const std::uint64_t batches = busy_brokers(parameters) * batches_of_a_broker(parameters);
    config.reads_along = batches > kMostEntries;
    if (!config.reads_along) {
      config.index_entries = std::max<std::size_t>(config.index_entries, batches);
    }
    return config;
  }

  static std::size_t busy_brokers(const perflab::Parameters& parameters) {
    return parameters.count("brokers") - parameters.count("idle");
  }

  static std::uint64_t batches_of_a_broker(const perflab::Parameters& parameters) {
    return (parameters.count("total-mib") << 20) / (busy_brokers(parameters) * parameters.count("batch-bytes")) + 1;
  }

  std::vector<std::uint64_t> batches_each(const perflab::Parameters& parameters) const {
    std::vector<std::uint64_t> each(config_.brokers, batches_of_a_broker(parameters));
    std::fill(each.begin() + static_cast<std::ptrdiff_t>(busy_), each.end(), 0);
    return each;
  }

  perflab::Setting setting_;
  const sequencer::PipelineConfig config_;
  const std::size_t busy_;
  const std::vector<std::uint64_t> batches_;
  sequencer::Pipeline pipeline_;
  perflab::Nanoseconds copied_before_{};
};

perflab::ScenarioSpec Publishing::spec() {
  return {.name = "publish",
          .title = "From publish to acknowledgement",
          .operation = "a batch, published and acknowledged",
          .headline = {"throughput", "counter:mib/s", "MiB/s", Better::kHigher},
          .metrics =
              std::vector<perflab::Metric>{
                  {"batches", "rate", "batches/s", Better::kHigher},
                  {"messages", "counter:messages/s", "messages/s", Better::kHigher},
                  {"time", "time", "ns/batch", Better::kLower},
                  {"copy", "counter:copy_mib/s", "MiB/s that threads can copy which do nothing else", Better::kHigher},
                  {"roofline", "counter:copy_ns/ns", "of the copy bandwidth measured beside it", Better::kHigher}} +
              usage_metrics(),
          .parameters =
              std::vector<Parameter>{
                  Parameter::of_int("message-bytes", 1'024, 32, 1 << 24, "of a message, in bytes"),
                  Parameter::of_int("batch-bytes", 2 << 20, 32, 1 << 26, "of a batch, in bytes"),
                  Parameter::of_int("total-mib", 1024, 1, 1 << 20, "published in a repetition, in MiB"),
                  Parameter::of_int("log-mib", 32, 1, 1 << 14, "of a broker's log, in MiB"),
                  Parameter::of_int("idle", 0, 0, 31, "brokers of them that receive nothing"),
                  Parameter::of_bool("read", false, "a subscriber reads and checks every message, too")} +
              pipeline_parameters()};
}

}  // namespace

void add_publish(Program& program) { program.scenario<Publishing>(); }

}  // namespace sequencer_bench
