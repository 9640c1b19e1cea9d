#pragma once

#include <cstdint>
#include <functional>

#include "perflab/bench/sample.hpp"

namespace perflab {

/// What Google Benchmark asks of a steady-state scenario: to do its operation so many times in a row.
using Repeated = std::function<void(std::int64_t iterations)>;

/**
 * Takes one sample of a steady state with Google Benchmark, which finds out how many iterations last `time` and
 * measures those. Each iteration counts as `operations`; the time is the wall clock's.
 *
 * Throws whatever `body` throws.
 */
void benchmark_sample(Sample& sample, Nanoseconds time, double operations, const Repeated& body);

}  // namespace perflab
