#include "model/explorer.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>

#include "model/primitives.hpp"

namespace sequencer::model {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

/// Dekker's first half: each tells, then looks. That neither sees the other is what a store buffer makes possible.
Program store_buffering(std::memory_order store) {
  struct Shared {
    Atomic<int> x{0};
    Atomic<int> y{0};
    int seen_by_0 = -1;
    int seen_by_1 = -1;
  };
  auto shared = std::make_shared<Shared>();
  return {.threads = {[=] {
                        shared->x.store(1, store);
                        shared->seen_by_0 = shared->y.load(kAcquire);
                      },
                      [=] {
                        shared->y.store(1, store);
                        shared->seen_by_1 = shared->x.load(kAcquire);
                      }},
          .after = [=] { Explorer::report(std::to_string(shared->seen_by_0) + std::to_string(shared->seen_by_1)); }};
}

TEST(Explorer, StoreBufferingDoesNotShowUnderSequentialConsistency) {
  const Result result = Explorer().explore([] { return store_buffering(kRelease); });
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.found("01") && result.found("10") && result.found("11"));
  EXPECT_FALSE(result.found("00"));
}

TEST(Explorer, StoreBufferingShowsWithStoreBuffers) {
  const Result result = Explorer(Memory::kStoreBuffers).explore([] { return store_buffering(kRelease); });
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.found("00") && result.found("01") && result.found("10") && result.found("11"));
}

TEST(Explorer, SeqCstStoresDrainTheBuffer) {
  const Result result = Explorer(Memory::kStoreBuffers).explore([] { return store_buffering(kSeqCst); });
  EXPECT_TRUE(result.found("01") && result.found("10") && result.found("11"));
  EXPECT_FALSE(result.found("00"));
}

/// The other half of an asymmetric pair: one thread's heavy fence stands for a fence of both.
TEST(Explorer, AFenceOfAllThreadsDrainsTheOthersBuffersToo) {
  for (const HeavyFence fence : {HeavyFence::kOwnThread, HeavyFence::kAllThreads}) {
    for (const Reduction reduction : {Reduction::kDynamicPartialOrder, Reduction::kNone}) {
      const Result result = Explorer(Memory::kStoreBuffers, reduction).explore([=] {
        struct Shared {
          Atomic<int> x{0};
          Atomic<int> y{0};
          int seen_by_0 = -1;
          int seen_by_1 = -1;
        };
        auto shared = std::make_shared<Shared>();
        return Program{
            .threads = {[=] {
                          shared->x.store(1, kRelaxed);
                          shared->seen_by_0 = shared->y.load(kRelaxed);
                        },
                        [=] {
                          shared->y.store(1, kRelaxed);
                          fence == HeavyFence::kOwnThread
                              ? Primitives<WatchedVector, HeavyFence::kOwnThread>::heavy_fence()
                              : Primitives<WatchedVector, HeavyFence::kAllThreads>::heavy_fence();
                          shared->seen_by_1 = shared->x.load(kRelaxed);
                        }},
            .after = [=] { Explorer::report(std::to_string(shared->seen_by_0) + std::to_string(shared->seen_by_1)); }};
      });
      EXPECT_TRUE(result.complete);
      EXPECT_TRUE(result.found("01") && result.found("10") && result.found("11"));
      EXPECT_EQ(result.found("00"), fence == HeavyFence::kOwnThread);
    }
  }
}

/// Independent steps in any order are one class: n threads that write each their own word have one execution, not n!.
TEST(Explorer, IndependentStepsAreNotPermuted) {
  const Result result = Explorer().explore([] {
    auto words = std::make_shared<std::array<Atomic<int>, 4>>();
    Program program;
    for (std::size_t i = 0; i < 4; ++i) {
      program.threads.emplace_back([=] {
        (*words)[i].store(1, kRelaxed);
        (*words)[i].store(2, kRelaxed);
      });
    }
    return program;
  });
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.executions, 1U);
}

/// Four writers of one word: 4! orders.
TEST(Explorer, DependentStepsAre) {
  const Result result = Explorer().explore([] {
    auto word = std::make_shared<Atomic<int>>(0);
    auto order = std::make_shared<std::string>();
    Program program;
    for (int i = 0; i < 4; ++i) {
      program.threads.emplace_back([=] {
        word->store(i, kRelaxed);
        *order += std::to_string(i);
      });
    }
    program.after = [=] { Explorer::report(*order); };
    return program;
  });
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.executions, 24U);
  EXPECT_EQ(result.findings.size(), 24U);
}

Result message_passing(std::memory_order store, std::memory_order load) {
  return Explorer().explore([=] {
    struct Shared {
      Plain<int> data;
      Atomic<bool> ready{false};
    };
    auto shared = std::make_shared<Shared>();
    return Program{.threads = {[=] {
                                 shared->data = 42;
                                 shared->ready.store(true, store);
                               },
                               [=] {
                                 if (shared->ready.load(load)) {
                                   EXPECT_EQ(static_cast<int>(shared->data), 42);
                                 }
                               }},
                   .after = {}};
  });
}

TEST(Explorer, ReleaseAndAcquireHandOver) { EXPECT_FALSE(message_passing(kRelease, kAcquire).found("data race")); }
TEST(Explorer, AMissingReleaseIsARace) { EXPECT_TRUE(message_passing(kRelaxed, kAcquire).found("data race")); }
TEST(Explorer, AMissingAcquireIsARace) { EXPECT_TRUE(message_passing(kRelease, kRelaxed).found("data race")); }

/// Who finds its own store in its buffer has not read what another has released meanwhile, though that is in memory.
TEST(Explorer, AnAcquireOfOnesOwnStoreHandsOverNothing) {
  const Result result = Explorer(Memory::kStoreBuffers).explore([] {
    struct Shared {
      Plain<int> data;
      Atomic<int> word{0};
    };
    auto shared = std::make_shared<Shared>();
    return Program{.threads = {[=] {
                                 shared->data = 42;
                                 shared->word.store(1, kRelease);
                               },
                               [=] {
                                 shared->word.store(2, kRelaxed);
                                 if (shared->word.load(kAcquire) == 2) {
                                   Explorer::report("own");
                                   static_cast<void>(static_cast<int>(shared->data));
                                 }
                               }},
                   .after = {}};
  });
  ASSERT_TRUE(result.found("own"));
  EXPECT_LT(result.findings.at("own").executions, result.executions);
  EXPECT_EQ(result.findings.at("data race").executions, result.findings.at("own").executions);
}

TEST(Explorer, LocksTakenInOppositeOrderDeadlock) {
  const Result result = Explorer().explore([] {
    auto locks = std::make_shared<std::array<Mutex, 2>>();
    const auto both = [=](std::size_t first, std::size_t second) {
      return [=] {
        const std::lock_guard a((*locks)[first]);
        const std::lock_guard b((*locks)[second]);
      };
    };
    return Program{.threads = {both(0, 1), both(1, 0)}, .after = {}};
  });
  EXPECT_TRUE(result.complete);
  EXPECT_TRUE(result.found("deadlock"));
  EXPECT_FALSE(result.findings.at("deadlock").schedule.empty());
}

/// The lost update, which needs both reads before either write.
TEST(Explorer, FindsALostUpdate) {
  const Result result = Explorer().explore([] {
    auto count = std::make_shared<Atomic<int>>(0);
    const auto increment = [=] { count->store(count->load(kRelaxed) + 1, kRelaxed); };
    return Program{.threads = {increment, increment, increment},
                   .after = [=] { Explorer::report(std::to_string(count->load(kRelaxed))); }};
  });
  EXPECT_TRUE(result.found("1") && result.found("2") && result.found("3"));
  EXPECT_EQ(result.findings.size(), 3U);
}

/// Small random programs, with the reduction and without: the same outcomes, by fewer executions.
TEST(Explorer, TheReductionMissesNothing) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kSteps = 2;
  struct Kind {
    Memory memory;
    std::size_t threads;
    /// Of step: the last one is the fence of all threads.
    unsigned steps;
  };
  struct Shared {
    std::array<Atomic<int>, 2> words;
    Mutex mutex;
    std::array<std::string, kMost> seen;
  };
  for (const auto [memory, threads, kinds] : {Kind{Memory::kSequentiallyConsistent, 3, 7},
                                              Kind{Memory::kStoreBuffers, 3, 7}, Kind{Memory::kStoreBuffers, 2, 8}}) {
    std::uint64_t with = 0;
    std::uint64_t without = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
      const auto make = [=] {
        auto shared = std::make_shared<Shared>();
        std::mt19937 random(seed);
        Program program;
        for (std::size_t thread = 0; thread < threads; ++thread) {
          std::array<unsigned, kSteps> steps;
          for (unsigned& step : steps) {
            step = static_cast<unsigned>(random() % kinds);
          }
          program.threads.emplace_back([=] {
            for (std::size_t i = 0; i < kSteps; ++i) {
              const int value = static_cast<int>(10 * thread + i + 1);
              Atomic<int>& word = shared->words[steps[i] % 2];
              if (steps[i] < 2) {
                word.store(value, kRelease);
              } else if (steps[i] < 4) {
                shared->seen[thread] += std::to_string(word.load(kAcquire)) + ",";
              } else if (steps[i] < 6) {
                shared->seen[thread] += std::to_string(word.fetch_or(value, kSeqCst)) + ",";
              } else if (steps[i] == 7) {
                Primitives<WatchedVector>::heavy_fence();
              } else {
                const std::lock_guard lock(shared->mutex);
                shared->words[0].store(shared->words[1].load(kAcquire) + value, kRelease);
              }
            }
          });
        }
        program.after = [=] {
          std::string outcome;
          for (const std::string& seen : shared->seen) {
            outcome += seen + ";";
          }
          Explorer::report(outcome + std::to_string(shared->words[0].load(kRelaxed)) + ";" +
                           std::to_string(shared->words[1].load(kRelaxed)));
        };
        return program;
      };
      const auto outcomes = [](const Result& result) {
        std::set<std::string> names;
        for (const auto& [name, finding] : result.findings) {
          names.insert(name);
        }
        return names;
      };
      const Result reduced = Explorer(memory).explore(make);
      const Result full = Explorer(memory, Reduction::kNone).explore(make);
      ASSERT_TRUE(reduced.complete && full.complete);
      ASSERT_EQ(outcomes(reduced), outcomes(full)) << "seed " << seed;
      with += reduced.executions + reduced.pruned;
      without += full.executions;
    }
    EXPECT_LT(with, without / 2);
  }
}

}  // namespace
}  // namespace sequencer::model
