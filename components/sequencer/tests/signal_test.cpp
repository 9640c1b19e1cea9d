#include "sequencer/signal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace sequencer {
namespace {

/// Each waits until its turn has come, and passes it on. The forbidden outcome is that a wake-up is lost: then all sleep,
/// and the test never ends, as it was seen to do with [W1] left out. Three threads, so that on two cores one sleeps while
/// another is about to.
TEST(Signal, LosesNoWakeUp) {
  constexpr std::uint64_t kThreads = 3;
  constexpr std::uint64_t kTurns = 100'000;
  Signal signal;
  std::atomic<std::uint64_t> turn{0};
  const auto take_turns = [&](std::uint64_t mine) {
    for (std::uint64_t next = mine; next < kTurns; next += kThreads) {
      signal.wait([&] { return turn.load(std::memory_order_relaxed) == next; });
      // Now sooner, now later, or notify would always meet the others at the same place.
      for (std::uint64_t i = 0; i < next % 1009; ++i) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      turn.store(next + 1, std::memory_order_relaxed);
      signal.notify();
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t mine = 0; mine < kThreads; ++mine) {
    threads.emplace_back(take_turns, mine);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(turn.load(), kTurns);
}

}  // namespace
}  // namespace sequencer
