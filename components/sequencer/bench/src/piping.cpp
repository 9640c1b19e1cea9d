#include "piping.hpp"

#include <sched.h>

#include <map>
#include <string>

#include "knobs.hpp"
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

std::vector<Parameter> flush_knobs() {
  return {
      Parameter::choice("flush", {"clflushopt", "none", "clflush", "clwb"}, "instruction that writes a line back"),
      Parameter::choice("fence", {"once", "per-line"}, "how often a fence waits for flushes"),
      Parameter::whole("device-ns", 0, 0, 1'000,
                       "simulation of a device further away: a spin on top of each fence and each read of a flushed "
                       "line, in nanoseconds")};
}

sequencer::FlushPolicy flush_of(const perflab::Parameters& parameters) {
  const FlushInstruction instruction = kInstructions.at(parameters.word("flush"));
  if (!sequencer::has(instruction)) {
    throw perflab::Error::missing("this processor has no " + parameters.word("flush"));
  }
  return {.instruction = instruction,
          .fence = parameters.word("fence") == "per-line" ? sequencer::Fence::kPerLine : sequencer::Fence::kOnce,
          .device_latency = std::chrono::nanoseconds(parameters.whole("device-ns"))};
}

Parameter scan_knob() {
  return Parameter::choice("scan", {"own", "flush-poll", "doorbell"},
                           "how scanners find batches; own: the lab's by a doorbell, all others as published");
}

sequencer::Scan scan_of(const perflab::Parameters& parameters, const Subject& subject) {
  const std::string& word = parameters.word("scan");
  if (word == "own") {
    return subject.scan;
  }
  return word == "doorbell" ? sequencer::Scan::kDoorbell : sequencer::Scan::kFlushPoll;
}

std::vector<Parameter> pipeline_knobs() {
  std::vector<Parameter> knobs = {
      Parameter::whole("brokers", 4, 1, 32, "each with a publisher and a scanner"),
      Parameter::choice("order", {"2", "0", "1", "4", "5"}, "order level, see sequencer/order.hpp"),
      epoch_knob(),
      scan_knob(),
      Parameter::choice("commit", {"per-epoch", "per-entry"}, "how often index entries become visible"),
      Parameter::whole("clients", 4, 1, 1'000, "that send, each through every broker in turn"),
      Parameter::whole(
          "most-behind", 0, 0, 1'000,
          "epochs that may end before the oldest is taken; 0: any number, as published, by which mutex and "
          "per-scanner-published confuse epochs once the sequencer is more than 2 behind"),
      Parameter::flag("pin", false, "each thread on one processor, dealt out in turn"),
  };
  for (Parameter& knob : flush_knobs()) {
    knobs.push_back(std::move(knob));
  }
  return knobs;
}

sequencer::PipelineConfig pipeline_of(const perflab::Parameters& parameters, const Subject& subject) {
  sequencer::PipelineConfig config;
  config.brokers = parameters.count("brokers");
  config.order = static_cast<Order>(std::stoi(parameters.word("order")));
  config.clients = parameters.count("clients");
  config.epoch = std::chrono::microseconds(parameters.whole("epoch-us"));
  config.most_epochs_behind = parameters.count("most-behind");
  config.scan = scan_of(parameters, subject);
  config.commit =
      parameters.word("commit") == "per-epoch" ? sequencer::Commit::kPerEpoch : sequencer::Commit::kPerEntry;
  config.flush = flush_of(parameters);
  if (parameters.flag("pin")) {
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
