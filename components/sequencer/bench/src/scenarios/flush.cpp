#include <utility>

#include "parameters.hpp"
#include "perflab/bench/benchmark_loop.hpp"
#include "pipeline_parameters.hpp"
#include "scenarios.hpp"
#include "sequencer/region.hpp"

namespace sequencer_bench {
namespace {

using perflab::Better;
using perflab::Parameter;

/// Lines written and flushed, one group after the other, through a ring that is larger than a core's own caches: what
/// a publisher does with its headers. It is the same in every variant; the instruction and the fence are parameters.
class Flushing : public perflab::Experiment {
 public:
  static perflab::ScenarioSpec spec();

  Flushing(const Subject& /*subject*/, perflab::Setting setting)
      : setting_(std::move(setting)),
        lines_(setting_.parameters.count("lines")),
        fenced_(setting_.parameters.get_string("fence") != "none"),
        policy_(flush_of(setting_.parameters)),
        region_(kGroups * lines_ * sequencer::kCacheLine),
        ring_(region_.allocate<std::uint64_t>(kGroups * lines_ * kWords)) {}

  void repeat(perflab::Sample& sample) override {
    std::uint64_t written = 0;
    perflab::benchmark_sample(sample, setting_.sample_time, 1,
                              [&](std::int64_t iterations) { written = run(static_cast<std::uint64_t>(iterations)); });
    setting_.checks->require("what was written is there", is_there(written),
                             [] { return "a line holds something else"; });
  }

 private:
  static constexpr std::size_t kGroups = 1 << 14;
  static constexpr std::size_t kWords = sequencer::kCacheLine / sizeof(std::uint64_t);

  std::uint64_t run(std::uint64_t groups) {
    sequencer::Flusher flusher(policy_);
    for (std::uint64_t group = 0; group < groups; ++group) {
      std::uint64_t* const first = &ring_[group % kGroups * lines_ * kWords];
      for (std::size_t line = 0; line < lines_; ++line) {
        first[line * kWords] = group + 1;
      }
      flusher.flush(first, lines_ * sequencer::kCacheLine);
      if (fenced_) {
        flusher.fence();
      }
    }
    return groups;
  }

  bool is_there(std::uint64_t groups) const {
    for (std::uint64_t group = groups > kGroups ? groups - kGroups : 0; group < groups; ++group) {
      for (std::size_t line = 0; line < lines_; ++line) {
        if (ring_[(group % kGroups * lines_ + line) * kWords] != group + 1) {
          return false;
        }
      }
    }
    return true;
  }

  perflab::Setting setting_;
  const std::size_t lines_;
  const bool fenced_;
  const sequencer::FlushPolicy policy_;
  sequencer::Region region_;
  const std::span<std::uint64_t> ring_;
};

perflab::ScenarioSpec Flushing::spec() {
  return {.name = "flush",
          .title = "Writing lines back to memory",
          .operation = "a group of lines, written and flushed",
          .headline = {"time", "time", "ns/group", Better::kLower},
          .metrics = {{"rate", "rate", "groups/s", Better::kHigher}},
          .parameters = flush_parameters({"once", "per-line", "none"}) +
                        std::vector<Parameter>{Parameter::of_int(
                            "lines", 2, 1, 64, "of 64 bytes, written together; a batch's header has two")}};
}

}  // namespace

void add_flush(Program& program) { program.scenario<Flushing>(); }

}  // namespace sequencer_bench
