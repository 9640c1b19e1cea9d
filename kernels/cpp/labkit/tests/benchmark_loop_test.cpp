#include "perflab/bench/benchmark_loop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perflab {
namespace {

using std::chrono::milliseconds;

TEST(BenchmarkLoop, TheLastAndLongestRunIsTheSample) {
  std::vector<std::int64_t> runs;
  Sample sample;
  benchmark_sample(sample, milliseconds(20), 3, [&](std::int64_t iterations) {
    runs.push_back(iterations);
    for (std::int64_t i = 0; i < iterations; ++i) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  ASSERT_FALSE(runs.empty());
  EXPECT_EQ(sample.ops(), 3 * static_cast<double>(runs.back()));
  EXPECT_GE(sample.total(), milliseconds(20));
  EXPECT_GE(sample.total(), milliseconds(runs.back()));
}

TEST(BenchmarkLoop, SamplesAddUp) {
  Sample sample;
  const auto nap = [](std::int64_t iterations) { std::this_thread::sleep_for(milliseconds(iterations)); };
  benchmark_sample(sample, milliseconds(5), 1, nap);
  const double once = sample.ops();
  benchmark_sample(sample, milliseconds(5), 1, nap);
  EXPECT_GT(sample.ops(), once);
}

TEST(BenchmarkLoop, WhatTheBodyThrowsIsThrown) {
  Sample sample;
  EXPECT_THROW(benchmark_sample(sample, milliseconds(1), 1, [](std::int64_t) { throw std::domain_error("wrong"); }),
               std::domain_error);
  EXPECT_EQ(sample.ops(), 0);
}

}  // namespace
}  // namespace perflab
