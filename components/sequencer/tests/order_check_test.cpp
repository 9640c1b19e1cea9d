#include "sequencer/order_check.hpp"

#include <gtest/gtest.h>

namespace sequencer {
namespace {

/// Entries of a valid order; each test breaks one thing, and exactly that must be reported.
class OrderCheckTest : public testing::Test {
 protected:
  GlobalOrderEntry next(BrokerId broker, Position position) {
    GlobalOrderEntry entry{};
    entry.ticket = ++index;
    entry.sequence = sequence;
    entry.epoch = 5;
    entry.broker = broker;
    entry.position = position;
    entry.messages = 10;
    sequence += 10;
    return entry;
  }

  std::uint64_t index = 0;
  Sequence sequence = 0;
};

std::string only(const OrderCheck& check) {
  EXPECT_EQ(check.count(), 1U);
  return check.violations().empty() ? "" : check.violations().front();
}

TEST_F(OrderCheckTest, AValidOrderIsAccepted) {
  OrderCheck check(2);
  check.accept(next(0, 0));
  check.accept(next(1, 0));
  check.accept(next(0, 1));
  check.finish(std::vector<std::uint64_t>{2, 1});
  EXPECT_EQ(check.violations(), std::vector<std::string>());
}

TEST_F(OrderCheckTest, AGapInTheSequence) {
  OrderCheck check(1);
  check.accept(next(0, 0));
  sequence += 10;
  check.accept(next(0, 1));
  EXPECT_EQ(only(check), "the sequence has 20 where 10 is next");
}

TEST_F(OrderCheckTest, AStaleEntry) {
  OrderCheck check(1);
  GlobalOrderEntry entry = next(0, 0);
  entry.ticket = 77;
  check.accept(entry);
  EXPECT_EQ(only(check), "entry 0 carries the ticket 77");
}

TEST_F(OrderCheckTest, ABatchTwice) {
  OrderCheck check(1);
  check.accept(next(0, 0));
  check.accept(next(0, 0));
  EXPECT_EQ(check.violations(),
            (std::vector<std::string>{"batch 0 of broker 0 twice", "broker 0 has batch 0 where 1 is next"}));
}

TEST_F(OrderCheckTest, ABrokersBatchesInverted) {
  OrderCheck check(1);
  check.accept(next(0, 1));
  EXPECT_EQ(only(check), "broker 0 has batch 1 where 0 is next");
}

TEST_F(OrderCheckTest, AnEpochBeforeTheLast) {
  OrderCheck check(1);
  check.accept(next(0, 0));
  GlobalOrderEntry entry = next(0, 1);
  entry.epoch = 4;
  check.accept(entry);
  EXPECT_EQ(only(check), "epoch 4 after 5");
}

TEST_F(OrderCheckTest, ALostBatch) {
  OrderCheck check(2);
  check.accept(next(0, 0));
  check.finish(std::vector<std::uint64_t>{1, 1});
  EXPECT_EQ(only(check), "of broker 1 came 0 of 1 batches");
}

}  // namespace
}  // namespace sequencer
