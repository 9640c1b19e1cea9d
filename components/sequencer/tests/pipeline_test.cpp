#include "sequencer/pipeline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"
#include "sequencer/buffers/sequenced_rings_buffer.hpp"
#if defined(SEQUENCER_PEERS)
#include "sequencer/buffers/peers/absl_mutex.hpp"
#include "sequencer/buffers/peers/atomic_queue.hpp"
#include "sequencer/buffers/peers/boost_queue.hpp"
#include "sequencer/buffers/peers/moodycamel.hpp"
#endif

namespace sequencer {
namespace {

struct Variant {
  std::string name;
  BufferFactory factory;
  Epoch most_epochs_behind = 0;
};

struct Case {
  Variant variant;
  Order order;
  Scan scan;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.variant.name + "Order" + std::to_string(static_cast<int>(info.param.order)) +
         (info.param.scan == Scan::kDoorbell ? "Doorbell" : "FlushPoll");
}

PipelineConfig small(const Case& test) {
  PipelineConfig config;
  config.brokers = 3;
  config.batch_bytes = 4096;
  config.log_bytes = 64 * 4096;
  config.slots = 100;
  config.index_entries = 64;
  config.buffer_capacity = 32;
  config.order = test.order;
  config.scan = test.scan;
  config.flush.instruction =
      has(FlushInstruction::kClflushopt) ? FlushInstruction::kClflushopt : FlushInstruction::kNone;
  config.read_payload = true;
  config.most_epochs_behind = test.variant.most_epochs_behind;
  return config;
}

class PipelineTest : public testing::TestWithParam<Case> {};

TEST_P(PipelineTest, EveryBatchOnceAndInTheOrderPromised) {
  PipelineConfig config = small(GetParam());
  config.read_payload = has_sequencer(config.order);
  Pipeline pipeline(config, GetParam().variant.factory);
  const std::vector<std::uint64_t> batches = {500, 0, 700};
  const Pipeline::Published published = pipeline.publish(batches);
  EXPECT_EQ(published.batches, 1200U);
  EXPECT_EQ(published.messages, 4800U);
  EXPECT_EQ(pipeline.publish(batches).batches, 1200U);
  pipeline.pause();
  pipeline.resume();
  EXPECT_EQ(pipeline.publish(batches).batches, 1200U);
  EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
  const PipelineStats stats = pipeline.stats();
  EXPECT_EQ(stats.sequencer.batches, has_sequencer(config.order) ? 3600U : 0U);
}

std::vector<Case> cases() {
  const std::vector<Variant> variants = {{"Mutex", AnyEpochBuffer::of<MutexBuffer<>>, 2},
                                         {"PerScannerLocked", AnyEpochBuffer::of<PerScannerLockedBuffer<>>, 0},
                                         {"SealedEpochs", AnyEpochBuffer::of<SealedEpochsBuffer<>>, 0},
                                         {"SequencedRings", AnyEpochBuffer::of<SequencedRingsBuffer<>>, 0},
                                         {"Lab", AnyEpochBuffer::of<LabBuffer<>>, 0}};
  std::vector<Case> all;
  for (const Variant& variant : variants) {
    all.push_back({variant, Order::kTotal, Scan::kFlushPoll});
    all.push_back({variant, Order::kTotal, Scan::kDoorbell});
  }
#if defined(SEQUENCER_PEERS)
  all.push_back({{"AbslMutex", AnyEpochBuffer::of<AbslMutexBuffer>, 2}, Order::kTotal, Scan::kDoorbell});
  all.push_back({{"BoostQueue", AnyEpochBuffer::of<BoostQueueBuffer>, 0}, Order::kTotal, Scan::kDoorbell});
  all.push_back({{"Moodycamel", AnyEpochBuffer::of<MoodycamelBuffer>, 0}, Order::kTotal, Scan::kDoorbell});
  all.push_back({{"AtomicQueue", AnyEpochBuffer::of<AtomicQueueBuffer>, 0}, Order::kTotal, Scan::kDoorbell});
#endif
  for (const Order order : {Order::kNone, Order::kPerBroker}) {
    all.push_back({variants.back(), order, Scan::kDoorbell});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, PipelineTest, testing::ValuesIn(cases()), name_of);

/// The sequencer waits for a subscriber that sleeps, in the middle of an epoch.
TEST(Pipeline, AnEpochMayHoldMoreThanTheIndex) {
  for (const Commit commit : {Commit::kPerEntry, Commit::kPerEpoch}) {
    PipelineConfig config = small({{"", {}, 0}, Order::kTotal, Scan::kDoorbell});
    config.index_entries = 2;
    config.commit = commit;
    Pipeline pipeline(config, AnyEpochBuffer::of<LabBuffer<>>);
    EXPECT_EQ(pipeline.publish(std::vector<std::uint64_t>{100, 100, 100}).batches, 300U);
    EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
  }
}

/// What two orders differ by is to be the ordering, and not two threads: those of order 2 end and take empty epochs.
TEST(Pipeline, TheSequencerRunsWhereNothingIsOrdered) {
  Pipeline pipeline(small({{"", {}, 0}, Order::kNone, Scan::kDoorbell}), AnyEpochBuffer::of<LabBuffer<>>);
  do {
    pipeline.resume();
    pipeline.publish(std::vector<std::uint64_t>{10, 10, 10});
    pipeline.pause();
  } while (pipeline.stats().sequencer.epochs == 0);
  EXPECT_EQ(pipeline.stats().sequencer.batches, 0U);
  EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
}

/// As a probe of the machine needs it. Scanners that poll would do so some thousand times a millisecond.
TEST(Pipeline, NothingRunsWhileItPauses) {
  Pipeline pipeline(small({{"", {}, 0}, Order::kTotal, Scan::kFlushPoll}), AnyEpochBuffer::of<LabBuffer<>>);
  pipeline.publish(std::vector<std::uint64_t>{10, 10, 10});
  pipeline.pause();
  const PipelineStats before = pipeline.stats();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const PipelineStats after = pipeline.stats();
  for (std::size_t scanner = 0; scanner < after.scanners.size(); ++scanner) {
    EXPECT_EQ(after.scanners[scanner].polls, before.scanners[scanner].polls);
  }
  EXPECT_EQ(after.sequencer.epochs, before.sequencer.epochs);
  EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
}

/// Whoever reads the clock at the beginning reads it before anything is published, and what is checked comes after the end.
TEST(Pipeline, TheTimeTakenHoldsAllOfThePublishingAndNoneOfTheCheck) {
  PipelineConfig config = small({{"", {}, 0}, Order::kTotal, Scan::kDoorbell});
  config.read_payload = false;
  config.reads_along = false;
  Pipeline pipeline(config, AnyEpochBuffer::of<LabBuffer<>>);
  for (int repetition = 1; repetition <= 5; ++repetition) {
    std::uint64_t placed_at_begin = 0;
    const Pipeline::Published published = pipeline.publish(std::vector<std::uint64_t>{20, 20, 20},
                                                           {.begin =
                                                                [&] {
                                                                  pipeline.pause();
                                                                  placed_at_begin = pipeline.stats().sequencer.batches;
                                                                  pipeline.resume();
                                                                },
                                                            .end = [] {}});
    EXPECT_EQ(published.batches, 60U);
    EXPECT_EQ(placed_at_begin, 60U * static_cast<std::uint64_t>(repetition - 1));
  }
  EXPECT_THROW(pipeline.publish(std::vector<std::uint64_t>{60, 5, 0}), std::invalid_argument);
  EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
}

TEST(Pipeline, CopyingLeavesTheOrderAlone) {
  Pipeline pipeline(small({{"", {}, 0}, Order::kTotal, Scan::kDoorbell}), AnyEpochBuffer::of<LabBuffer<>>);
  for (int repetition = 0; repetition < 3; ++repetition) {
    EXPECT_EQ(pipeline.publish(std::vector<std::uint64_t>{100, 0, 30}).batches, 130U);
    pipeline.pause();
    pipeline.copy(std::vector<std::uint64_t>{100, 0, 30});
    pipeline.resume();
  }
  EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
}

TEST(Pipeline, WhatHasFailedIsNotResumed) {
  PipelineConfig config = small({{"", {}, 0}, Order::kTotal, Scan::kDoorbell});
  std::atomic<bool> failed{false};
  config.on_read = [&](const GlobalOrderEntry& entry) {
    if (entry.position == 5) {
      failed.store(true);
      failed.notify_one();
      throw std::runtime_error("the subscriber has failed");
    }
  };
  Pipeline pipeline(config, AnyEpochBuffer::of<LabBuffer<>>);
  pipeline.publish(std::vector<std::uint64_t>{10, 0, 0});
  failed.wait(false);
  pipeline.pause();
  pipeline.resume();
  EXPECT_EQ(pipeline.publish(std::vector<std::uint64_t>{10, 0, 0}).batches, 0U);
}

/// A sequencer that is always many epochs behind.
TEST(Pipeline, ALaggingSequencerKeepsTheOrder) {
  PipelineConfig config = small({{"", {}, 0}, Order::kTotal, Scan::kDoorbell});
  config.stall = std::chrono::milliseconds(5);
  config.stall_every = 4;
  config.epoch = std::chrono::microseconds(100);
  Pipeline pipeline(config, AnyEpochBuffer::of<LabBuffer<>>);
  pipeline.publish(std::vector<std::uint64_t>{300, 300, 300});
  EXPECT_EQ(pipeline.finish(), std::vector<std::string>());
}

/// Loses one batch in a hundred: what the validation is there for.
class LossyBuffer {
 public:
  explicit LossyBuffer(const BufferConfig& config) : buffer_(config) {}
  bool push(std::size_t scanner, const PendingBatch& batch) {
    return batch.position == 42 || buffer_.push(scanner, batch);
  }
  bool advance() { return buffer_.advance(); }
  std::optional<Epoch> take(Visit visit) { return buffer_.take(visit); }

 private:
  LabBuffer<> buffer_;
};

TEST(Pipeline, ABufferThatLosesABatchIsFoundOut) {
  PipelineConfig config = small({{"", {}, 0}, Order::kTotal, Scan::kDoorbell});
  config.brokers = 1;
  config.read_payload = false;
  config.acknowledge_timeout = std::chrono::milliseconds(500);
  Pipeline pipeline(config, AnyEpochBuffer::of<LossyBuffer>);
  pipeline.publish(std::vector<std::uint64_t>{60});
  const std::vector<std::string> violations = pipeline.finish();
  ASSERT_FALSE(violations.empty());
  EXPECT_EQ(violations.front(), "not acknowledged: 18 of 60 batches of broker 0");
}

}  // namespace
}  // namespace sequencer
