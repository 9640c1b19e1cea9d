#include "sequencer/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace sequencer {
namespace {

using Time = std::chrono::steady_clock::time_point;
using std::chrono::nanoseconds;

TEST(NextInStep, WhatWasSleptThroughIsLeftOutAndNoPeriodIsShorter) {
  const auto next = [](int due, int now) {
    return next_in_step(Time(nanoseconds(due)), nanoseconds(100), Time(nanoseconds(now))).time_since_epoch().count();
  };
  EXPECT_EQ(next(1000, 1000), 1100);
  EXPECT_EQ(next(1000, 1099), 1100);
  EXPECT_EQ(next(1000, 1100), 1200);
  EXPECT_EQ(next(1000, 1350), 1400);
  EXPECT_EQ(next(1000, 900), 1100);
}

}  // namespace
}  // namespace sequencer
