#include <gtest/gtest.h>

#include "hammer.hpp"
#include "sequencer/buffers/peers/atomic_queue.hpp"
#include "sequencer/buffers/peers/boost_queue.hpp"
#include "sequencer/buffers/peers/moodycamel.hpp"

namespace sequencer {
namespace {

template <class Buffer>
class PeerTest : public testing::Test {};

using Peers = testing::Types<BoostQueueBuffer, AtomicQueueBuffer, MoodycamelBuffer>;
TYPED_TEST_SUITE(PeerTest, Peers);

static_assert(EpochBuffer<BoostQueueBuffer> && EpochBuffer<AtomicQueueBuffer> && EpochBuffer<MoodycamelBuffer>);

TYPED_TEST(PeerTest, AMarkEndsAnEpoch) {
  constexpr Epoch kFirst = static_cast<Epoch>(-1);
  TypeParam buffer(BufferConfig{.scanners = 2, .capacity = 4, .first_epoch = kFirst});
  const auto shown_by_take = [&] {
    std::vector<Position> shown;
    buffer.take([&](std::span<const PendingBatch> run) {
      for (const PendingBatch& batch : run) {
        shown.push_back(batch.position);
      }
    });
    return shown;
  };
  PendingBatch batch;
  for (batch.position = 0; batch.position < 3; ++batch.position) {
    ASSERT_TRUE(buffer.push(batch.position % 2, batch));
    ASSERT_TRUE(buffer.advance());
    ASSERT_TRUE(buffer.advance());
  }
  for (Position position = 0; position < 3; ++position) {
    EXPECT_EQ(shown_by_take(), std::vector<Position>({position}));
    EXPECT_EQ(shown_by_take(), std::vector<Position>());
  }
  EXPECT_EQ(buffer.take([](std::span<const PendingBatch>) {}), std::nullopt);
}

TYPED_TEST(PeerTest, LosesNothingUnderThreads) {
  constexpr Epoch kFirst = static_cast<Epoch>(-100);
  TypeParam buffer(BufferConfig{.scanners = 4, .capacity = 256, .first_epoch = kFirst});
  EXPECT_EQ(hammer(buffer, 4, 50'000, kFirst, /*seed=*/7), "");
}

}  // namespace
}  // namespace sequencer
