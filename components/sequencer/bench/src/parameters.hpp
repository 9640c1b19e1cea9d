#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "perflab/bench/parameters.hpp"
#include "perflab/bench/scenario.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

// Parameters and metrics that scenarios share.

perflab::Parameter scanners_parameter();
perflab::Parameter epoch_parameter();
perflab::Parameter capacity_parameter();

/// A buffer for so many scanners, with the setting's capacity.
BufferConfig config_of(const perflab::Parameters& parameters, std::size_t scanners);

std::chrono::nanoseconds epoch_of(const perflab::Parameters& parameters);

/// What a lap of the labkit's stopwatch counts, per operation.
std::vector<perflab::Metric> usage_metrics();

/// Of a latency.
std::vector<perflab::Metric> percentile_metrics();

/// One list behind another, of metrics or of parameters.
template <class T>
std::vector<T> operator+(std::vector<T> some, const std::vector<T>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

}  // namespace sequencer_bench
