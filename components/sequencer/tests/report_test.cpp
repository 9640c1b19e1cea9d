// What the report says of its buffers, and what is so: evidence for datasets/claims/embarcadero-order2.yaml. Races need
// a model checker and are found in its tests.

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"
#include "sequencer/buffers/sequenced_rings_buffer.hpp"
#include "sequencer/pipeline.hpp"

namespace sequencer {
namespace {

/// Notes each lock that is taken, and keeps nobody out: these tests have one thread.
class NotedMutex {
 public:
  void lock() { locked.push_back(this); }
  void unlock() {}

  inline static std::vector<const NotedMutex*> locked;
};

struct NotedPrimitives : Primitives {
  using Mutex = NotedMutex;
};

PendingBatch batch(std::size_t scanner, Position position) {
  PendingBatch made;
  made.broker = static_cast<BrokerId>(scanner);
  made.position = position;
  return made;
}

/// The locks that a call takes.
template <class Call>
std::vector<const NotedMutex*> locks_of(Call call) {
  NotedMutex::locked.clear();
  call();
  return std::exchange(NotedMutex::locked, {});
}

template <class Buffer>
std::vector<const NotedMutex*> locks_of_pushes(Buffer& buffer, std::size_t scanners, Position each) {
  return locks_of([&] {
    for (std::size_t scanner = 0; scanner < scanners; ++scanner) {
      for (Position position = 0; position < each; ++position) {
        EXPECT_TRUE(buffer.push(scanner, batch(scanner, position)));
      }
    }
  });
}

TEST(ReportTest, BeforeEveryPushTakesTheOneMutexAndAfterNoneDoes) {
  const BufferConfig config{.scanners = 4};
  MutexBuffer<NotedPrimitives> before(config);
  const auto locked = locks_of_pushes(before, config.scanners, 5);
  EXPECT_EQ(locked.size(), config.scanners * 5);
  EXPECT_EQ(std::set(locked.begin(), locked.end()).size(), 1U);

  PerScannerPublishedBuffer<NotedPrimitives> after(config);
  EXPECT_TRUE(locks_of_pushes(after, config.scanners, 5).empty());
  ASSERT_TRUE(after.advance());
  EXPECT_EQ(locks_of([&] { after.take([](std::span<const PendingBatch>) {}); }).size(), 1U);
}

/// 10,964 MB/s, which are MiB/s, in batches as large as those of upstream's run, the pipeline's default.
TEST(ReportTest, TheReportsThroughputIsThousandsOfBatchesASecond) {
  constexpr std::size_t kBytesASecond = std::size_t{10'964} << 20;
  const std::size_t batches = kBytesASecond / PipelineConfig{}.batch_bytes;
  EXPECT_GT(batches, 1'000U);
  EXPECT_LT(batches, 10'000U);
}

TEST(ReportTest, AMergeTakesOneLockHoweverManyBatchesThereAre) {
  const BufferConfig config{.scanners = 4};
  for (const Position each : {Position{1}, Position{100}}) {
    PerScannerPublishedBuffer<NotedPrimitives> after(config);
    locks_of_pushes(after, config.scanners, each);
    ASSERT_TRUE(after.advance());
    std::size_t taken = 0;
    const auto locked = locks_of([&] { after.take([&](std::span<const PendingBatch> run) { taken += run.size(); }); });
    EXPECT_EQ(locked.size(), 1U);
    EXPECT_EQ(taken, config.scanners * each);
  }
}

TEST(ReportTest, ARepairedPushTakesALockThatNoOtherScannerTakes) {
  const BufferConfig config{.scanners = 4};
  PerScannerLockedBuffer<NotedPrimitives> repaired(config);
  std::set<const NotedMutex*> all;
  for (std::size_t scanner = 0; scanner < config.scanners; ++scanner) {
    const auto locked = locks_of([&] { EXPECT_TRUE(repaired.push(scanner, batch(scanner, 0))); });
    EXPECT_EQ(std::set(locked.begin(), locked.end()).size(), 1U);
    all.insert(locked.begin(), locked.end());
  }
  EXPECT_EQ(all.size(), config.scanners);
}

template <class Buffer>
std::vector<std::pair<Epoch, Position>> pushed_three_epochs_apart_and_taken_at_once() {
  Buffer buffer(BufferConfig{});
  EXPECT_TRUE(buffer.push(0, batch(0, 0)));
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_TRUE(buffer.advance());
  }
  EXPECT_TRUE(buffer.push(0, batch(0, 1)));
  std::vector<std::pair<Epoch, Position>> shown;
  EXPECT_EQ(buffer.take([&](std::span<const PendingBatch> run) {
    for (const PendingBatch& one : run) {
      shown.emplace_back(one.epoch, one.position);
    }
  }),
            Epoch{0});
  return shown;
}

TEST(ReportTest, ThreeEpochsBehindTwoEpochsAreTakenForOne) {
  const std::vector<std::pair<Epoch, Position>> mixed = {{0, 0}, {3, 1}};
  EXPECT_EQ(pushed_three_epochs_apart_and_taken_at_once<MutexBuffer<>>(), mixed);
  EXPECT_EQ(pushed_three_epochs_apart_and_taken_at_once<PerScannerPublishedBuffer<>>(), mixed);
}

/// Pushes one batch in each epoch until an epoch cannot end, then takes them all.
template <class Buffer>
void lag_and_take() {
  constexpr Position kMost = 500;
  constexpr Epoch kFirst = static_cast<Epoch>(-2);
  Buffer buffer(BufferConfig{.scanners = 1, .capacity = kMost, .first_epoch = kFirst});
  Position ended = 0;
  while (ended < kMost && buffer.push(0, batch(0, ended)) && buffer.advance()) {
    ++ended;
  }
  EXPECT_GE(ended, 3U);
  for (Position epoch = 0; epoch < ended; ++epoch) {
    std::vector<Position> shown;
    EXPECT_EQ(buffer.take([&](std::span<const PendingBatch> run) {
      for (const PendingBatch& one : run) {
        shown.push_back(one.position);
      }
    }),
              kFirst + epoch);
    EXPECT_EQ(shown, std::vector<Position>{epoch});
  }
}

TEST(ReportTest, HoweverFarBehindTheRepairedBuffersKeepEpochsApart) {
  lag_and_take<PerScannerLockedBuffer<>>();
  lag_and_take<SealedEpochsBuffer<>>();
  lag_and_take<SequencedRingsBuffer<>>();
  lag_and_take<LabBuffer<>>();
}

}  // namespace
}  // namespace sequencer
