#include "sequencer/epoch_buffer.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"
#include "sequencer/buffers/sequenced_rings_buffer.hpp"

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

using Buffers = testing::Types<MutexBuffer<>, PerScannerPublishedBuffer<>, PerScannerLockedBuffer<>,
                               SealedEpochsBuffer<>, SequencedRingsBuffer<>, LabBuffer<>>;
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

/// All correct ones but `MutexBuffer`, which shares the published buffer's `% 3`.
template <class Buffer>
class LaggingSequencerTest : public EpochBufferTest<Buffer> {};

using BuffersThatKeepEpochsApart =
    testing::Types<PerScannerLockedBuffer<>, SealedEpochsBuffer<>, SequencedRingsBuffer<>, LabBuffer<>>;
TYPED_TEST_SUITE(LaggingSequencerTest, BuffersThatKeepEpochsApart);

TYPED_TEST(LaggingSequencerTest, AnEpochGoesOnRatherThanBeConfusedWithAnother) {
  int ended = 0;
  while (ended < 1000 && this->buffer.advance()) {
    ++ended;
  }
  ASSERT_LT(ended, 1000);
  ASSERT_TRUE(this->buffer.push(0, this->batch(0, 1)));
  EXPECT_FALSE(this->buffer.advance());
  for (int taken = 0; taken < ended; ++taken) {
    EXPECT_EQ(this->take(kBeforeWraparound + static_cast<Epoch>(taken)), std::vector<Position>());
  }
  ASSERT_TRUE(this->buffer.advance());
  EXPECT_EQ(this->take(kBeforeWraparound + static_cast<Epoch>(ended)), std::vector<Position>({1}));
}

TYPED_TEST(LaggingSequencerTest, WhatIsBoundedSaysNoAndLosesNothing) {
  Position accepted = 0;
  while (accepted < 100 && this->buffer.push(0, this->batch(0, accepted))) {
    ++accepted;
  }
  EXPECT_GE(accepted, 4U);
  ASSERT_TRUE(this->buffer.advance());
  EXPECT_EQ(this->take(kBeforeWraparound).size(), accepted);
  EXPECT_TRUE(this->buffer.push(0, this->batch(0, accepted)));
}

/// One more, and the last push of an epoch would set the seal.
TEST(SealedEpochsBufferTest, RefusesACapacityThatItsWordCannotCount) {
  constexpr std::size_t kMost = (std::size_t{1} << 23) - 1;
  EXPECT_NO_THROW(SealedEpochsBuffer<>(BufferConfig{.scanners = 0, .capacity = kMost}));
  EXPECT_THROW(SealedEpochsBuffer<>(BufferConfig{.scanners = 0, .capacity = kMost + 1}), std::invalid_argument);
}

/// The order within an epoch is that of the pushes, and not scanner by scanner.
TEST(SequencedRingsBufferTest, MergesTheRingsInTheOrderPushed) {
  SequencedRingsBuffer<> buffer(BufferConfig{.scanners = 3, .capacity = 4, .first_epoch = kBeforeWraparound});
  const std::vector<std::size_t> scanners = {2, 0, 0, 1, 2, 0, 1};
  PendingBatch batch;
  for (const std::size_t scanner : scanners) {
    ASSERT_TRUE(buffer.push(scanner, batch));
    ++batch.position;
  }
  ASSERT_TRUE(buffer.advance());
  Position next = 0;
  EXPECT_TRUE(buffer.take([&](std::span<const PendingBatch> run) {
    for (const PendingBatch& shown : run) {
      EXPECT_EQ(shown.position, next++);
    }
  }));
  EXPECT_EQ(next, scanners.size());
}

}  // namespace
}  // namespace sequencer
