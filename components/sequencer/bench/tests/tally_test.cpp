#include "tally.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "perflab/bench/error.hpp"

namespace sequencer_bench {
namespace {

PendingBatch batch(sequencer::BrokerId broker, sequencer::Position position) {
  PendingBatch made;
  made.broker = broker;
  made.position = position;
  return made;
}

std::string objection_to(const std::vector<PendingBatch>& batches) {
  Tally tally(2, 0);
  tally(batches);
  tally.took(0);
  return tally.objection(2);
}

TEST(Tally, AllThatWasPushedIsNoObjection) {
  EXPECT_EQ(objection_to({batch(1, 0), batch(0, 0), batch(0, 1), batch(1, 1)}), "");
}

TEST(Tally, WhatIsLostDoubledOrOutOfTurnIsOne) {
  EXPECT_NE(objection_to({batch(0, 0), batch(0, 1), batch(1, 0)}), "");
  EXPECT_NE(objection_to({batch(0, 0), batch(0, 0), batch(1, 0), batch(1, 1)}), "");
  EXPECT_NE(objection_to({batch(0, 1), batch(0, 0), batch(1, 0), batch(1, 1)}), "");
  EXPECT_NE(objection_to({batch(0, 0), batch(0, 1), batch(1, 0), batch(1, 1), batch(7, 0)}), "");
}

TEST(Tally, AnEpochThatDoesNotFollowTheOneBeforeIsOne) {
  constexpr Epoch kLast = static_cast<Epoch>(-1);
  Tally tally(0, kLast);
  tally.took(kLast);
  tally.took(0);
  EXPECT_EQ(tally.objection(0), "");
  tally.took(2);
  EXPECT_EQ(tally.objection(0), "1 epochs did not follow the one before");
}

TEST(Tally, AnObjectionFailsTheRun) {
  perflab::Checks checks;
  EXPECT_THROW(Tally(1, 0).require(checks, 1), perflab::Error);
}

}  // namespace
}  // namespace sequencer_bench
