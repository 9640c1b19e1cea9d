#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/explorer.hpp"
#include "model/primitives.hpp"
#include "model/sites.hpp"
#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"
#include "sequencer/buffers/sequenced_rings_buffer.hpp"

namespace sequencer::model {
namespace {

using Watched = Primitives<WatchedVector>;
using Stepped = Primitives<SteppedVector>;

/// Epochs and tickets start just before they wrap around, but where epochs are told apart by their remainder modulo
/// three: 3 does not divide 2^64, so these confuse two neighbours there.
template <class Buffer>
constexpr Epoch kFirst = static_cast<Epoch>(-1);
template <class P>
constexpr Epoch kFirst<MutexBuffer<P>> = 0;
template <class P>
constexpr Epoch kFirst<PerScannerPublishedBuffer<P>> = 0;

/// How often each thread does its thing where that may be often. A third epoch would already share the first one's
/// buffer.
template <class Buffer>
constexpr int kRounds = 3;
template <class P>
constexpr int kRounds<MutexBuffer<P>> = 2;

/// A buffer, and what its takes have shown.
template <class Buffer>
class World {
 public:
  explicit World(std::unique_ptr<Buffer> buffer, Epoch first)
      : buffer_(std::move(buffer)), first_(first), next_(first) {}

  bool push(BrokerId scanner, Position position) {
    PendingBatch batch;
    batch.broker = scanner;
    batch.position = position;
    const bool pushed = buffer_->push(scanner, batch);
    accepted_ += pushed ? 1 : 0;
    return pushed;
  }

  bool advance() { return buffer_->advance(); }

  void take() {
    const auto taken = buffer_->take([&](std::span<const PendingBatch> run) {
      for (const PendingBatch& batch : run) {
        shown_.push_back({batch.broker, batch.position, next_});
      }
    });
    if (taken) {
      if (*taken != next_) {
        Explorer::report("gap");
      }
      ++next_;
    }
  }

  /// When all threads have ended: whatever is still inside must come out, and then all of it must have been right.
  void drain_and_check() {
    for (int i = 0; i < 6; ++i) {
      take();
      advance();
    }
    take();
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (shown_[i].scanner == shown_[j].scanner) {
          if (shown_[i].position == shown_[j].position) {
            Explorer::report("doubled");
          } else if (shown_[i].position < shown_[j].position) {
            Explorer::report("inverted");
          }
        }
      }
    }
    if (shown_.size() < accepted_) {
      Explorer::report("lost");
    } else if (shown_.size() > accepted_) {
      Explorer::report("doubled");
    }
  }

  /// The epoch in which it was shown, relative to the first.
  int epoch_of(BrokerId scanner, Position position) const {
    for (const Shown& shown : shown_) {
      if (shown.scanner == scanner && shown.position == position) {
        return static_cast<int>(shown.epoch - first_);
      }
    }
    return -1;
  }

 private:
  struct Shown {
    BrokerId scanner;
    Position position;
    Epoch epoch;
  };

  std::unique_ptr<Buffer> buffer_;
  const Epoch first_;
  Epoch next_;
  std::vector<Shown> shown_;
  std::size_t accepted_ = 0;
};

template <class Buffer>
std::shared_ptr<World<Buffer>> world(std::size_t scanners, std::size_t capacity, Epoch first = kFirst<Buffer>) {
  const BufferConfig config{.scanners = scanners, .capacity = capacity, .first_epoch = first};
  if constexpr (std::is_constructible_v<Buffer, const BufferConfig&, Position, std::size_t>) {
    return std::make_shared<World<Buffer>>(std::make_unique<Buffer>(config, static_cast<Position>(-1), 2), first);
  } else {
    return std::make_shared<World<Buffer>>(std::make_unique<Buffer>(config), first);
  }
}

template <class F>
std::function<void()> times(int count, F what) {
  return [=] {
    for (int i = 0; i < count; ++i) {
      what(i);
    }
  };
}

/// One scanner, some batches, epochs and takes: all of the hand-over at once.
template <class Buffer, int kTimes = 2>
Program hand_over() {
  auto w = world<Buffer>(1, 4);
  return {.threads = {times(kTimes, [=](int i) { w->push(0, static_cast<Position>(i)); }),
                      times(kTimes, [=](int) { w->advance(); }), times(kTimes, [=](int) { w->take(); })},
          .after = [=] { w->drain_and_check(); }};
}

/// Two scanners, the driver and the sequencer.
template <class Buffer, int kTimes = 1>
Program two_scanners() {
  auto w = world<Buffer>(2, 2);
  return {.threads = {times(kTimes, [=](int i) { w->push(0, static_cast<Position>(i)); }),
                      times(kTimes, [=](int i) { w->push(1, static_cast<Position>(i)); }),
                      times(kTimes, [=](int) { w->advance(); }), times(kTimes, [=](int) { w->take(); })},
          .after = [=] { w->drain_and_check(); }};
}

/// Room for one batch, three pushes: slots are used again while the sequencer may be reading them.
template <class Buffer>
Program reuse() {
  auto w = world<Buffer>(1, 1);
  return {.threads = {times(3, [=](int i) { w->push(0, static_cast<Position>(i)); }), times(2,
                                                                                            [=](int) {
                                                                                              w->advance();
                                                                                              w->take();
                                                                                            })},
          .after = [=] { w->drain_and_check(); }};
}

/// The sequencer comes when four epochs may have ended.
template <class Buffer>
Program lag() {
  auto w = world<Buffer>(1, 4);
  return {.threads = {times(4,
                            [=](int i) {
                              w->push(0, static_cast<Position>(i));
                              w->advance();
                            }),
                      times(2, [=](int) { w->take(); })},
          .after = [=] { w->drain_and_check(); }};
}

/// Guarantee 4: what was pushed before the advance is shown by the epoch that it ends.
template <class Buffer>
Program complete() {
  auto w = world<Buffer>(1, 2);
  auto pushed = std::make_shared<Atomic<int>>(0);
  auto known = std::make_shared<bool>(false);
  return {.threads = {[=] {
                        w->push(0, 0);
                        pushed->store(1, std::memory_order_release);
                      },
                      [=] {
                        *known = pushed->load(std::memory_order_acquire) == 1;
                        w->advance();
                      },
                      times(1, [=](int) { w->take(); })},
          .after = [=] {
            w->drain_and_check();
            if (*known && w->epoch_of(0, 0) != 0) {
              Explorer::report("late");
            }
          }};
}

/// Guarantee 5: what is pushed after the advance belongs to a later epoch.
template <class Buffer>
Program not_early() {
  auto w = world<Buffer>(1, 2);
  auto ended = std::make_shared<Atomic<int>>(0);
  auto known = std::make_shared<bool>(false);
  return {.threads = {[=] {
                        *known = ended->load(std::memory_order_acquire) == 1;
                        w->push(0, 0);
                      },
                      [=] {
                        w->advance();
                        ended->store(1, std::memory_order_release);
                      },
                      times(1, [=](int) { w->take(); })},
          .after = [=] {
            w->drain_and_check();
            if (*known && w->epoch_of(0, 0) == 0) {
              Explorer::report("early");
            }
          }};
}

/// Guarantee 6: a push that is known to the other scanner is not shown after that scanner's.
template <class Buffer>
Program in_order() {
  auto w = world<Buffer>(2, 1);
  auto pushed = std::make_shared<Atomic<int>>(0);
  auto known = std::make_shared<bool>(false);
  return {.threads = {[=] {
                        w->push(0, 0);
                        pushed->store(1, std::memory_order_release);
                      },
                      [=] {
                        *known = pushed->load(std::memory_order_acquire) == 1;
                        w->push(1, 0);
                      },
                      [=] { w->advance(); }},
          .after = [=] {
            w->drain_and_check();
            if (*known && w->epoch_of(0, 0) > w->epoch_of(1, 0)) {
              Explorer::report("out of order");
            }
          }};
}

/// Guarantee 6 where one thread feeds two rings: what it pushed first is not shown after what it pushed next.
template <class Buffer>
Program one_thread_on_two_rings() {
  auto w = world<Buffer>(2, 1);
  return {.threads = {[=] {
                        w->push(0, 0);
                        w->push(1, 0);
                      },
                      [=] { w->advance(); }},
          .after = [=] {
            w->drain_and_check();
            if (w->epoch_of(0, 0) > w->epoch_of(1, 0)) {
              Explorer::report("out of order");
            }
          }};
}

std::string names(const Result& result) {
  std::string all;
  for (const auto& [name, finding] : result.findings) {
    all += all.empty() ? name : ", " + name;
  }
  return all;
}

template <class Buffer>
class ModelTest : public testing::Test {
 protected:
  void expect_no_finding(Program (*program)()) {
    for (const Memory memory : {Memory::kSequentiallyConsistent, Memory::kStoreBuffers}) {
      const Result result = Explorer(memory).explore(program);
      EXPECT_TRUE(result.complete);
      EXPECT_EQ(names(result), "") << result.findings.begin()->second.schedule;
      this->RecordProperty(memory == Memory::kStoreBuffers ? "executions_tso" : "executions",
                           std::to_string(result.executions) + " and " + std::to_string(result.pruned) + " pruned");
    }
  }
};

using Correct = testing::Types<MutexBuffer<Watched>, PerScannerLockedBuffer<Watched>, SealedEpochsBuffer<Watched>,
                               SequencedRingsBuffer<Watched>, LabBuffer<Watched>>;
TYPED_TEST_SUITE(ModelTest, Correct);

TYPED_TEST(ModelTest, HandOver) { this->expect_no_finding(hand_over<TypeParam, kRounds<TypeParam>>); }
TYPED_TEST(ModelTest, TwoScanners) { this->expect_no_finding(two_scanners<TypeParam, 2>); }
TYPED_TEST(ModelTest, Reuse) { this->expect_no_finding(reuse<TypeParam>); }
TYPED_TEST(ModelTest, Complete) { this->expect_no_finding(complete<TypeParam>); }
TYPED_TEST(ModelTest, NotEarly) { this->expect_no_finding(not_early<TypeParam>); }
TYPED_TEST(ModelTest, InOrder) { this->expect_no_finding(in_order<TypeParam>); }
TYPED_TEST(ModelTest, OneThreadOnTwoRings) { this->expect_no_finding(one_thread_on_two_rings<TypeParam>); }

/// Those that say no to the driver rather than confuse two epochs.
template <class Buffer>
class LagModelTest : public ModelTest<Buffer> {};
using KeepEpochsApart = testing::Types<PerScannerLockedBuffer<Watched>, SealedEpochsBuffer<Watched>,
                                       SequencedRingsBuffer<Watched>, LabBuffer<Watched>>;
TYPED_TEST_SUITE(LagModelTest, KeepEpochsApart);

TYPED_TEST(LagModelTest, HoweverFarTheSequencerLags) { this->expect_no_finding(lag<TypeParam>); }

TEST(MutexModelTest, AlasEpochsThreeApartShareABuffer) {
  const Result result = Explorer().explore(lag<MutexBuffer<Watched>>);
  EXPECT_EQ(names(result), "inverted");
}

TEST(MutexModelTest, AndSoDoTwoNeighboursWhereEpochsWrapAround) {
  const Result result = Explorer().explore([] {
    auto w = world<MutexBuffer<Watched>>(1, 2, static_cast<Epoch>(-1));
    return Program{.threads = {[=] {
                                 w->advance();
                                 w->push(0, 0);
                               },
                               [=] { w->take(); }},
                   .after = [=] {
                     w->drain_and_check();
                     if (w->epoch_of(0, 0) == 0) {
                       Explorer::report("early");
                     }
                   }};
  });
  EXPECT_TRUE(result.found("early"));
}

/// What ThreadSanitizer reports too.
TEST(PublishedModelTest, IsADataRace) {
  EXPECT_TRUE(Explorer().explore(hand_over<PerScannerPublishedBuffer<Watched>>).found("data race"));
}

/// What that race does to batches, if the vector does not even move.
TEST(PublishedModelTest, LosesDoublesAndInvertsBatches) {
  const Result result = Explorer().explore(hand_over<PerScannerPublishedBuffer<Stepped>>);
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.found("lost")) << names(result);
  EXPECT_TRUE(result.found("doubled")) << names(result);
}

/// And yet the sequencer, which alone takes, leaves no epoch out and takes none twice.
TEST(PublishedModelTest, TakesOneEpochAfterTheOther) {
  for (Program (*const program)() :
       {hand_over<PerScannerPublishedBuffer<Stepped>>, two_scanners<PerScannerPublishedBuffer<Stepped>>}) {
    const Result result = Explorer().explore(program);
    EXPECT_TRUE(result.complete);
    EXPECT_FALSE(result.found("gap")) << names(result);
  }
}

/// (c): the scanner reads the epoch, which then ends and is taken, and pushes. What is pushed in the next epoch
/// overtakes.
TEST(PublishedModelTest, ShowsABatchAfterOnesPushedLater) {
  const Result result = Explorer().explore([] {
    auto w = world<PerScannerPublishedBuffer<Stepped>>(1, 4);
    auto first = std::make_shared<Atomic<int>>(0);
    return Program{.threads = {[=] {
                                 w->push(0, 0);
                                 first->store(1, std::memory_order_release);
                                 w->push(0, 1);
                               },
                               [=] {
                                 w->advance();
                                 w->take();
                               }},
                   .after = [=] { w->drain_and_check(); }};
  });
  EXPECT_TRUE(result.found("inverted")) << names(result);
}

/// The lab's lines each carry weight: without one of them the model finds what the proof says it is for.
using LabWithoutFence = LabBuffer<Primitives<WatchedVector, HeavyFence::kNone>>;
using LabWithOwnFence = LabBuffer<Primitives<WatchedVector, HeavyFence::kOwnThread>>;

TEST(LabMutantModelTest, WithoutTheHeavyFenceACutIsNoSnapshotOnTso) {
  EXPECT_EQ(names(Explorer(Memory::kSequentiallyConsistent).explore(in_order<LabWithoutFence>)), "");
  EXPECT_EQ(names(Explorer(Memory::kStoreBuffers).explore(in_order<LabWithoutFence>)), "out of order");
}

/// An mfence of the driver's is enough as long as each scanner is a thread of its own: what another thread knows of is in
/// memory. What a thread knows of itself may still wait in its store buffer, which only membarrier empties.
TEST(LabMutantModelTest, WithAFenceOfTheDriversOwnOneThreadOnTwoRingsIsOutOfOrder) {
  EXPECT_EQ(names(Explorer(Memory::kStoreBuffers).explore(in_order<LabWithOwnFence>)), "");
  EXPECT_EQ(names(Explorer(Memory::kStoreBuffers).explore(one_thread_on_two_rings<LabWithOwnFence>)), "out of order");
}

/// What one of the lab's lines is there for: the findings of all programs here, if it orders nothing.
std::string without(const std::optional<std::string>& site, std::set<std::string>& sites) {
  using Lab = LabBuffer<Watched>;
  Sites watch("/lab_buffer.hpp", site);
  std::set<std::string> findings;
  for (Program (*const program)() : {hand_over<Lab, 2>, two_scanners<Lab, 1>, reuse<Lab>, lag<Lab>, complete<Lab>,
                                     not_early<Lab>, in_order<Lab>, one_thread_on_two_rings<Lab>}) {
    // With store buffers, what is sequentially consistent can happen as well.
    const Result result = Explorer(Memory::kStoreBuffers).explore(program);
    EXPECT_TRUE(result.complete);
    for (const auto& [name, finding] : result.findings) {
      findings.insert(name);
    }
  }
  sites.insert(watch.found().begin(), watch.found().end());
  std::string all;
  for (const std::string& name : findings) {
    all += all.empty() ? name : ", " + name;
  }
  return all;
}

TEST(LabMutantModelTest, EachLineThatOrdersIsThereForSomething) {
  const std::map<std::string, std::string> expected = {
      // The slots, there and back.
      {"[S4]", "data race"},
      {"[D4]", "data race"},
      {"[D5]", "data race"},
      {"[Q1]", "data race"},
      {"[Q5], of the slots", "data race"},
      {"[S1]", "data race"},
      // The rows, back; there they come with the slots.
      {"[Q5], of the rows", "data race"},
      {"[D1]", "data race"},
  };
  std::set<std::string> sites;
  EXPECT_EQ(without(std::nullopt, sites), "");
  std::map<std::string, std::string> found;
  for (const std::string& site : std::set<std::string>(sites)) {
    found[site] = without(site, sites);
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace sequencer::model
