#include "sequencer/sequencer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "sequencer/buffers/lab_buffer.hpp"

namespace sequencer {
namespace {

constexpr BrokerConfig kBroker{.slots = 16, .batch_bytes = 64, .log_bytes = 64};
constexpr std::uint64_t kEntries = 2'000;
constexpr std::size_t kIndex = 4'096;

/// A sequencer on the test's own thread, and one epoch of many batches.
class SequencerTest : public testing::TestWithParam<Commit> {
 protected:
  SequencerTest() {
    for (PendingBatch batch; batch.position < kEntries; ++batch.position) {
      batch.messages = 1;
      EXPECT_TRUE(buffer.push(0, batch));
    }
    EXPECT_TRUE(buffer.advance());
  }

  Region region{Broker::region_bytes(kBroker) + GlobalOrderIndex::region_bytes(kIndex)};
  Broker broker{kBroker, region};
  std::array<Broker*, 1> brokers{&broker};
  AnyEpochBuffer buffer = AnyEpochBuffer::of<LabBuffer<>>({.scanners = 1, .capacity = kEntries});
  GlobalOrderIndex index{kIndex, region};
  Sequencer sequencer{{.flush = {}, .commit = GetParam()}, buffer, index, brokers};
  const std::atomic<bool> go_on{false};
};

TEST_P(SequencerTest, AReaderThatSleepsIsWokenOncePerEpoch) {
  std::atomic<int> looks{0};
  std::thread reader([&] {
    index.grown.wait([&] {
      ++looks;
      return index.committed.load(std::memory_order_acquire) == kEntries;
    });
  });
  // Before and after it counts itself as a waiter; the third time is when it has been woken.
  while (looks.load() < 2) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(sequencer.step(go_on));
  reader.join();
  EXPECT_EQ(looks.load(), 3);
  EXPECT_EQ(broker.acknowledged.load(), kEntries);
}

INSTANTIATE_TEST_SUITE_P(All, SequencerTest, testing::Values(Commit::kPerEntry, Commit::kPerEpoch),
                         [](const auto& test) { return test.param == Commit::kPerEntry ? "PerEntry" : "PerEpoch"; });

}  // namespace
}  // namespace sequencer
