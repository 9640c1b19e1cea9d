#include "perflab/bench/sample.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

namespace perflab {
namespace {

using std::chrono::milliseconds;

TEST(Usage, ASleepTakesTimeAndNoProcessor) {
  const Stopwatch watch;
  std::this_thread::sleep_for(milliseconds(20));
  const Lap lap = watch.lap();
  EXPECT_GE(lap.time, milliseconds(20));
  EXPECT_LT(lap.used.cpu, lap.time / 2);
  EXPECT_GE(lap.used.voluntary_switches, 1);
}

TEST(Usage, LapsAndCountersAddUp) {
  Lap both{milliseconds(1), {milliseconds(2), 3, 4}};
  both += Lap{milliseconds(10), {milliseconds(20), 30, 40}};
  Sample sample;
  sample.add(5, both);
  sample.add(5, milliseconds(9));
  EXPECT_EQ(sample.ops(), 10);
  EXPECT_EQ(sample.total(), milliseconds(20));
  EXPECT_EQ(sample.counters().at("cpu_ns"), 22e6);
  EXPECT_EQ(sample.counters().at("voluntary_switches"), 33);
  EXPECT_EQ(sample.counters().at("involuntary_switches"), 44);
}

TEST(Usage, ARegionWithoutOperationsOrTimeIsASlip) {
  Sample sample;
  EXPECT_THROW(sample.add(0, milliseconds(1)), std::logic_error);
  EXPECT_THROW(sample.add(1, milliseconds(0)), std::logic_error);
}

std::map<std::string, std::uint64_t> rungs(const Latencies& latencies) {
  const auto percentiles = latencies.percentiles();
  return {percentiles.begin(), percentiles.end()};
}

TEST(Latencies, PercentilesAreWithinAThousandth) {
  Latencies latencies;
  for (std::uint64_t ns = 1; ns <= 100'000; ++ns) {
    latencies.add(ns);
  }
  const auto seen = rungs(latencies);
  EXPECT_EQ(seen.size(), 9U);
  EXPECT_EQ(seen.at("p0"), 1U);
  EXPECT_NEAR(static_cast<double>(seen.at("p50")), 50'000, 50);
  EXPECT_NEAR(static_cast<double>(seen.at("p99.9")), 99'900, 99.9);
  EXPECT_EQ(seen.at("max"), 100'000U);
}

TEST(Latencies, NoneHaveNoPercentiles) { EXPECT_TRUE(Latencies().percentiles().empty()); }

TEST(Latencies, ThoseOutOfRangeCountAsItsEnds) {
  Latencies latencies;
  latencies.add(0);
  EXPECT_EQ(rungs(latencies).at("max"), 1U);
  latencies.add(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(rungs(latencies).at("max"), 86'400'000'000'000U);
}

TEST(Latencies, EachPowerOfTwoAndItsNeighboursAreKept) {
  for (std::uint64_t power = 2; power < (1ULL << 46); power *= 2) {
    for (const std::uint64_t ns : {power - 1, power, power + 1}) {
      Latencies latencies;
      latencies.add(ns);
      latencies.add(2 * ns);
      const auto p50 = rungs(latencies).at("p50");
      EXPECT_GE(p50, ns);
      EXPECT_LE(static_cast<double>(p50), static_cast<double>(ns) * 1.001);
    }
  }
}

TEST(Latencies, ThoseOfSeveralThreadsAddUp) {
  Latencies all;
  Latencies some;
  some.add(10);
  Latencies others;
  others.add(1'000);
  others.add(30);
  all.add(some);
  all.add(others);
  all.add(Latencies());
  EXPECT_EQ(rungs(all).at("p0"), 10U);
  EXPECT_EQ(rungs(all).at("p50"), 30U);
  EXPECT_EQ(rungs(all).at("max"), 1'000U);
}

}  // namespace
}  // namespace perflab
