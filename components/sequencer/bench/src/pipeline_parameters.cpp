#include "pipeline_parameters.hpp"

#include <sched.h>

#include <map>
#include <string>

#include "parameters.hpp"
#include "perflab/bench/error.hpp"

namespace sequencer_bench {
namespace {

using perflab::Parameter;
using sequencer::FlushInstruction;
using sequencer::Order;

const std::map<std::string, FlushInstruction, std::less<>> kInstructions = {
    {"none", FlushInstruction::kNone},
    {"clflush", FlushInstruction::kClflush},
    {"clflushopt", FlushInstruction::kClflushopt},
    {"clwb", FlushInstruction::kClwb},
};

std::vector<int> cpus_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) {
        found.push_back(cpu);
      }
    }
  }
  return found;
}

}  // namespace

std::vector<Parameter> flush_parameters(const std::vector<std::string>& fences) {
  return {
      Parameter::of_choice("flush", {"clflushopt", "none", "clflush", "clwb"}, "instruction that writes a line back"),
      Parameter::of_choice("fence", fences, "how often a fence waits for flushes"),
      Parameter::of_int("device-ns", 0, 0, 1'000,
                        "simulation of a device further away: a spin on top of each fence and each read of a flushed "
                        "line, in nanoseconds")};
}

sequencer::FlushPolicy flush_of(const perflab::Parameters& parameters) {
  const FlushInstruction instruction = kInstructions.at(parameters.get_string("flush"));
  if (!sequencer::has(instruction)) {
    throw perflab::Error::missing("this processor has no " + parameters.get_string("flush"));
  }
  return {.instruction = instruction,
          .fence = parameters.get_string("fence") == "per-line" ? sequencer::Fence::kPerLine : sequencer::Fence::kOnce,
          .device_latency = std::chrono::nanoseconds(parameters.get_int("device-ns"))};
}

Parameter scan_parameter() {
  return Parameter::of_choice("scan", {"own", "flush-poll", "doorbell"},
                              "how scanners find batches; own: the lab's by a doorbell, all others as published");
}

sequencer::Scan scan_of(const perflab::Parameters& parameters, const Subject& subject) {
  const std::string& word = parameters.get_string("scan");
  if (word == "own") {
    return subject.scan;
  }
  return word == "doorbell" ? sequencer::Scan::kDoorbell : sequencer::Scan::kFlushPoll;
}

std::vector<Parameter> pipeline_parameters(const std::vector<std::string>& orders) {
  return std::vector<Parameter>{
             Parameter::of_int("brokers", 4, 1, 32, "each with a publisher and a scanner"),
             Parameter::of_choice("order", orders, "order level, see sequencer/order.hpp"),
             epoch_parameter(),
             scan_parameter(),
             Parameter::of_choice("commit", {"per-epoch", "per-entry"}, "how often index entries become visible"),
             Parameter::of_int("clients", 4, 1, 1'000, "that send, each through every broker in turn"),
             Parameter::of_int(
                 "most-behind", 0, 0, 1'000,
                 "epochs that may end before the oldest is taken; 0: any number, as published, by which mutex and "
                 "per-scanner-published confuse epochs once the sequencer is more than 2 behind"),
             Parameter::of_bool("pin", false, "each thread on one processor, dealt out in turn"),
         } +
         flush_parameters();
}

sequencer::PipelineConfig pipeline_of(const perflab::Parameters& parameters, const Subject& subject) {
  sequencer::PipelineConfig config;
  config.brokers = parameters.count("brokers");
  config.order = static_cast<Order>(std::stoi(parameters.get_string("order")));
  config.clients = parameters.count("clients");
  config.epoch = std::chrono::microseconds(parameters.get_int("epoch-us"));
  config.most_epochs_behind = parameters.count("most-behind");
  config.scan = scan_of(parameters, subject);
  config.commit =
      parameters.get_string("commit") == "per-epoch" ? sequencer::Commit::kPerEpoch : sequencer::Commit::kPerEntry;
  config.flush = flush_of(parameters);
  if (parameters.get_bool("pin")) {
    config.cpus = cpus_of_this_process();
  }
  return config;
}

void require_order(sequencer::Pipeline& pipeline, perflab::Checks& checks) {
  const std::vector<std::string> violations = pipeline.finish();
  checks.require("no batch is lost, doubled or out of its order, and the sequence has no gap", violations.empty(),
                 [&] { return violations.front(); });
}

}  // namespace sequencer_bench
