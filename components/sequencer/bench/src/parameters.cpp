#include "parameters.hpp"

namespace sequencer_bench {

using perflab::Better;
using perflab::Metric;
using perflab::Parameter;

Parameter scanners_parameter() { return Parameter::of_int("scanners", 2, 1, 64, "threads that push, one per broker"); }

Parameter epoch_parameter() {
  return Parameter::of_int("epoch-us", 500, 10, 1'000'000, "length of an epoch, in microseconds");
}

Parameter capacity_parameter() {
  // Room for several epochs: a smaller ring is full before its epoch ends, and `push` would measure the ring's size.
  return Parameter::of_int("capacity", 1 << 17, 2, 1 << 22,
                           "batches of a scanner that may wait to be taken; without effect on buffers that grow");
}

BufferConfig config_of(const perflab::Parameters& parameters, std::size_t scanners) {
  return {.scanners = scanners, .capacity = parameters.count("capacity"), .first_epoch = 0};
}

std::chrono::nanoseconds epoch_of(const perflab::Parameters& parameters) {
  return std::chrono::microseconds(parameters.get_int("epoch-us"));
}

std::vector<Metric> usage_metrics() {
  return {{"cpu", "counter:cpu_ns/op", "ns of CPU/op", Better::kLower},
          {"switches", "counter:voluntary_switches/op", "sleeps/op", Better::kLower}};
}

std::vector<Metric> percentile_metrics() {
  return {{"p50", "p50", "ns", Better::kLower},
          {"p99", "p99", "ns", Better::kLower},
          {"p99.9", "p99.9", "ns", Better::kLower},
          {"max", "max", "ns", Better::kLower}};
}

}  // namespace sequencer_bench
