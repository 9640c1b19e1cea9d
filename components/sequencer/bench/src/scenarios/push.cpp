#include <utility>

#include "crew.hpp"
#include "parameters.hpp"
#include "perflab/bench/error.hpp"
#include "scenarios.hpp"
#include "sequencing.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

/// Scanners push as fast as they can, a sequencer takes: what the hand-over itself costs, and nothing else.
class Pushing : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Pushing(const Subject& subject, perflab::Setting setting)
      : setting_(std::move(setting)),
        scanners_(setting_.parameters.count("scanners")),
        each_(setting_.parameters.count("batches") / scanners_ + 1),
        buffer_(made(subject)),
        tally_(scanners_, 0) {}

  void repeat(perflab::Sample& sample) override {
    std::vector<std::uint64_t> refused(scanners_);
    std::vector<LockMeter> locks(scanners_);
    const std::uint64_t epochs_before = tally_.epochs();
    Sequencing sequencing(buffer_, tally_, epoch_of(setting_.parameters));
    Crew crew(scanners_, [&](std::size_t scanner) {
      PendingBatch first;
      first.broker = static_cast<sequencer::BrokerId>(scanner);
      first.position = pushed_;
      refused[scanner] = buffer_.push_run(scanner, first, each_);
      locks[scanner] = LockMeter::take();
    });
    const perflab::Stopwatch watch;
    crew.go();
    crew.join();
    const perflab::Lap lap = watch.lap();
    const LockMeter sequencers = sequencing.finish();
    pushed_ += each_;
    tally_.require(*setting_.checks, pushed_);
    sample.add(static_cast<double>(scanners_ * each_), lap);
    for (const std::uint64_t times : refused) {
      sample.count("refused", static_cast<double>(times));
    }
    if (setting_.parameters.get_bool("meter-locks")) {
      count_locks(sample, locks, sequencers, tally_.epochs() - epochs_before);
    }
  }

 private:
  AnyEpochBuffer made(const Subject& subject) const {
    const sequencer::BufferFactory& make =
        setting_.parameters.get_bool("meter-locks") ? subject.make_metered : subject.make;
    if (!make) {
      throw perflab::Error::usage("this variant has no locks to be metered", {"meter-locks=false"});
    }
    return make(config_of(setting_.parameters, scanners_));
  }

  void count_locks(perflab::Sample& sample, const std::vector<LockMeter>& scanners, const LockMeter& sequencers,
                   std::uint64_t epochs) {
    LockMeter all;
    for (const LockMeter& one : scanners) {
      all += one;
    }
    sample.count("lock_wait_ns", static_cast<double>(all.waited_ns));
    sample.count("lock_hold_ns", static_cast<double>(all.held_ns));
    // Per batch in the protocol's terms; the sequencer's is told per epoch.
    const double per_epoch = epochs == 0 ? 0 : static_cast<double>(sequencers.held_ns) / static_cast<double>(epochs);
    sample.count("sequencer_hold_ns", per_epoch * static_cast<double>(scanners_ * each_));
  }

  perflab::Setting setting_;
  const std::size_t scanners_;
  const std::uint64_t each_;
  // Kept from one repetition to the next, so that the warm-up has made room in vectors, and touched it.
  AnyEpochBuffer buffer_;
  Tally tally_;
  std::uint64_t pushed_ = 0;
};

perflab::ScenarioSpec Pushing::spec() {
  return {.name = "push",
          .title = "The hand-over alone",
          .operation = "a batch, pushed",
          .headline = {"rate", "rate", "batches/s", Better::kHigher},
          .metrics =
              usage_metrics() +
              std::vector<perflab::Metric>{
                  {"time", "time", "ns/batch, all scanners together", Better::kLower},
                  {"refused", "counter:refused/op", "pushes without room/batch", Better::kLower},
                  {"lock-wait", "counter:lock_wait_ns/op", "ns waited for the lock/batch", Better::kLower},
                  {"lock-hold", "counter:lock_hold_ns/op", "ns held by scanners/batch", Better::kLower},
                  {"sequencer-hold", "counter:sequencer_hold_ns/op", "ns held by the sequencer/epoch", Better::kLower}},
          .parameters = {scanners_parameter(),
                         Parameter::of_int("batches", 1'000'000, 1, 1'000'000'000, "pushed in a repetition, by all"),
                         epoch_parameter(), capacity_parameter(),
                         Parameter::of_bool("meter-locks", false,
                                            "measure times at locks; the clock's readings slow the push down")}};
}

}  // namespace

void add_push(Program& program) { program.scenario<Pushing>(); }

}  // namespace sequencer_bench
