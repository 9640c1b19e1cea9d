#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "perflab/bench/metric.hpp"
#include "perflab/bench/parameters.hpp"
#include "sequencer_bench/hand_over.hpp"

namespace sequencer_bench {

// Knobs and metrics that scenarios share.

perflab::Parameter scanners_knob();
perflab::Parameter epoch_knob();
perflab::Parameter capacity_knob();

/// A buffer for so many scanners, with the setting's capacity.
BufferConfig config_of(const perflab::Parameters& parameters, std::size_t scanners);

std::chrono::nanoseconds epoch_of(const perflab::Parameters& parameters);

/// What a lap of the labkit's stopwatch counts, per operation.
std::vector<perflab::Metric> usage_metrics();

/// Of a latency.
std::vector<perflab::Metric> percentile_metrics();

/// One list behind another.
std::vector<perflab::Metric> operator+(std::vector<perflab::Metric> some, const std::vector<perflab::Metric>& more);

}  // namespace sequencer_bench
