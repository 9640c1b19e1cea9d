#include "sequencer/epoch_buffer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sequencer/buffers/mutex_buffer.hpp"

namespace sequencer {
namespace {

constexpr Epoch kBeforeWraparound = static_cast<Epoch>(-2);

template <class Buffer>
class EpochBufferTest : public testing::Test {
 protected:
  static PendingBatch batch(BrokerId broker, Position position) {
    PendingBatch made;
    made.broker = broker;
    made.position = position;
    return made;
  }

  std::vector<Position> take(Epoch expected) {
    std::vector<Position> positions;
    const auto epoch = buffer.take([&](std::span<const PendingBatch> run) {
      for (const PendingBatch& shown : run) {
        positions.push_back(shown.position);
      }
    });
    EXPECT_EQ(epoch, expected);
    return positions;
  }

  Buffer buffer{BufferConfig{.scanners = 2, .capacity = 4, .first_epoch = kBeforeWraparound}};
};

using Buffers = testing::Types<MutexBuffer<>>;
TYPED_TEST_SUITE(EpochBufferTest, Buffers);

static_assert(EpochBuffer<MutexBuffer<>>);

TYPED_TEST(EpochBufferTest, AnEpochIsTakenOnceItHasEnded) {
  ASSERT_TRUE(this->buffer.push(0, this->batch(0, 7)));
  EXPECT_EQ(this->buffer.take([](std::span<const PendingBatch>) { FAIL() << "the epoch has not ended"; }),
            std::nullopt);
  ASSERT_TRUE(this->buffer.advance());
  EXPECT_EQ(this->take(kBeforeWraparound), std::vector<Position>({7}));
  EXPECT_EQ(this->buffer.take([](std::span<const PendingBatch>) { FAIL() << "it has been taken"; }), std::nullopt);
}

TYPED_TEST(EpochBufferTest, EpochsAreTakenOneByOneAcrossTheWraparound) {
  for (Position position = 0; position < 4; ++position) {
    ASSERT_TRUE(this->buffer.push(0, this->batch(0, position)));
    ASSERT_TRUE(this->buffer.advance());
    EXPECT_EQ(this->take(kBeforeWraparound + position), std::vector<Position>({position}));
  }
}

TYPED_TEST(EpochBufferTest, AnEmptyEpochIsTakenToo) {
  ASSERT_TRUE(this->buffer.advance());
  EXPECT_EQ(this->take(kBeforeWraparound), std::vector<Position>());
}

TYPED_TEST(EpochBufferTest, AScannersBatchesKeepTheirOrder) {
  for (Position position = 0; position < 3; ++position) {
    ASSERT_TRUE(this->buffer.push(1, this->batch(1, position)));
  }
  ASSERT_TRUE(this->buffer.advance());
  EXPECT_EQ(this->take(kBeforeWraparound), std::vector<Position>({0, 1, 2}));
}

}  // namespace
}  // namespace sequencer
