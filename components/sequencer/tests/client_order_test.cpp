#include "sequencer/client_order.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace sequencer {
namespace {

class ClientOrderTest : public testing::Test {
 protected:
  bool arrive(ClientOrder& order, ClientSequence sequence, Epoch now, ClientId client = 1) {
    PendingBatch batch;
    batch.client = client;
    batch.client_sequence = sequence;
    return order.arrive(batch, now, place());
  }

  void end_epoch(ClientOrder& order, Epoch now) {
    order.end_epoch(now, place(), [this](ClientId client, ClientSequence first, std::uint32_t count) {
      events << " lost " << client << ":" << first << "+" << count;
    });
  }

  struct Place {
    ClientOrderTest* test;
    void operator()(const PendingBatch& batch) const {
      test->events << " " << batch.client << ":" << batch.client_sequence;
    }
  };
  ClientOrder::Place place() { return placed; }

  Place placed{this};
  std::string told() const { return events.str(); }
  std::ostringstream events;
};

TEST_F(ClientOrderTest, ABatchWaitsForItsPredecessor) {
  ClientOrder order(std::nullopt);
  EXPECT_TRUE(arrive(order, 2, 1));
  EXPECT_TRUE(arrive(order, 1, 1));
  EXPECT_EQ(order.held_back(), 2U);
  EXPECT_TRUE(arrive(order, 0, 9));
  EXPECT_EQ(told(), " 1:0 1:1 1:2");
  EXPECT_EQ(order.held_back(), 0U);
}

TEST_F(ClientOrderTest, ClientsDoNotWaitForEachOther) {
  ClientOrder order(std::nullopt);
  EXPECT_TRUE(arrive(order, 1, 1, 1));
  EXPECT_TRUE(arrive(order, 0, 1, 2));
  EXPECT_EQ(told(), " 2:0");
}

TEST_F(ClientOrderTest, WithoutPatienceNothingIsEverLost) {
  ClientOrder order(std::nullopt);
  EXPECT_TRUE(arrive(order, 1, 1));
  end_epoch(order, 1'000'000);
  EXPECT_EQ(told(), "");
}

TEST_F(ClientOrderTest, AGapIsDeclaredLostAndWhatIsBehindItPlaced) {
  ClientOrder order(3);
  EXPECT_TRUE(arrive(order, 0, 10));
  EXPECT_TRUE(arrive(order, 3, 10));
  end_epoch(order, 12);
  EXPECT_EQ(told(), " 1:0");
  end_epoch(order, 13);
  EXPECT_EQ(told(), " 1:0 lost 1:1+2 1:3");
}

TEST_F(ClientOrderTest, PatienceIsForTheOneThatHasWaitedLongest) {
  ClientOrder order(3);
  EXPECT_TRUE(arrive(order, 4, 10));
  EXPECT_TRUE(arrive(order, 2, 12));
  end_epoch(order, 13);
  EXPECT_EQ(told(), " lost 1:0+2 1:2 lost 1:3+1 1:4");
}

TEST_F(ClientOrderTest, WhatComesAfterItsLossIsRefused) {
  ClientOrder order(1);
  EXPECT_TRUE(arrive(order, 1, 10));
  end_epoch(order, 11);
  EXPECT_FALSE(arrive(order, 0, 11));
  EXPECT_TRUE(arrive(order, 2, 11));
  EXPECT_EQ(told(), " lost 1:0+1 1:1 1:2");
}

TEST_F(ClientOrderTest, TheSameTwiceIsRefused) {
  ClientOrder order(std::nullopt);
  EXPECT_TRUE(arrive(order, 1, 1));
  EXPECT_FALSE(arrive(order, 1, 1));
  EXPECT_TRUE(arrive(order, 0, 1));
  EXPECT_FALSE(arrive(order, 0, 1));
  EXPECT_EQ(told(), " 1:0 1:1");
}

TEST_F(ClientOrderTest, PatienceOutlastsTheWraparoundOfEpochs) {
  ClientOrder order(3);
  EXPECT_TRUE(arrive(order, 1, static_cast<Epoch>(-2)));
  end_epoch(order, 0);
  EXPECT_EQ(told(), "");
  end_epoch(order, 1);
  EXPECT_EQ(told(), " lost 1:0+1 1:1");
}

}  // namespace
}  // namespace sequencer
