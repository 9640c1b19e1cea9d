#include "sequencer/membarrier.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include "sequencer/primitives.hpp"

namespace sequencer {
namespace {

/// Dekker's first half on real threads, over and over: each tells, passes its fence and looks. That neither sees the
/// other is what a store buffer makes possible, and the pair forbids.
TEST(AsymmetricFence, OneOfTheTwoSeesTheOther) {
  constexpr int kRounds = 50'000;
  struct alignas(kCacheLine) Word {
    std::atomic<int> value{0};
  };
  std::array<Word, 2> told;
  std::array<Word, 2> begun;
  /// Lines that the heavy side has just written, so that stores of the light side's wait for them in its store buffer.
  std::array<Word, 16> others;
  std::array<int, 2> seen{};
  int neither = 0;
  const auto meet = [&](std::size_t self, int at) {
    begun[self].value.store(at, std::memory_order_release);
    for (int looks = 0; begun[1 - self].value.load(std::memory_order_acquire) < at; ++looks) {
      if (looks > 1'000) {
        std::this_thread::yield();
      }
    }
  };
  const auto run = [&](std::size_t self, auto fence) {
    for (int round = 1; round <= kRounds; ++round) {
      if (self == 1) {
        for (Word& word : others) {
          word.value.store(-round, std::memory_order_relaxed);
        }
      }
      meet(self, 2 * round - 1);
      if (self == 0) {
        for (Word& word : others) {
          word.value.store(round, std::memory_order_relaxed);
        }
      }
      told[self].value.store(round, std::memory_order_relaxed);
      fence();
      seen[self] = told[1 - self].value.load(std::memory_order_relaxed);
      meet(self, 2 * round);
      if (self == 0) {
        neither += seen[0] < round && seen[1] < round ? 1 : 0;
      }
    }
  };
  std::thread light([&] { run(0, Primitives::light_fence); });
  run(1, Primitives::heavy_fence);
  light.join();
  EXPECT_EQ(neither, 0);
}

}  // namespace
}  // namespace sequencer
