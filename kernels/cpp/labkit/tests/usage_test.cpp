#include "perflab/bench/usage.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "perflab/bench/sample.hpp"

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

}  // namespace
}  // namespace perflab
