#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <utility>

#include "sequencer/primitives.hpp"

namespace sequencer_bench {

/// What a thread did at locks.
struct LockMeter {
  std::uint64_t acquisitions = 0;
  std::uint64_t waited_ns = 0;
  std::uint64_t held_ns = 0;

  LockMeter& operator+=(const LockMeter& more) {
    acquisitions += more.acquisitions;
    waited_ns += more.waited_ns;
    held_ns += more.held_ns;
    return *this;
  }

  /// The calling thread's since it was last asked.
  static LockMeter take();
};

/// The calling thread's.
inline thread_local LockMeter my_locks;

inline LockMeter LockMeter::take() { return std::exchange(my_locks, {}); }

/// A mutex that tells how long it was waited for and held. It reads the clock three times, some 60 ns: what is measured
/// with it are times at the lock, and not throughput.
class MeteredMutex {
 public:
  void lock() {
    const auto asked = Clock::now();
    mutex_.lock();
    since_ = Clock::now();
    ++my_locks.acquisitions;
    my_locks.waited_ns += ns(since_ - asked);
  }

  void unlock() {
    const auto held = Clock::now() - since_;
    mutex_.unlock();
    my_locks.held_ns += ns(held);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::uint64_t ns(Clock::duration time) {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
  }

  std::mutex mutex_;
  Clock::time_point since_;
};

struct MeteredPrimitives : sequencer::Primitives {
  using Mutex = MeteredMutex;
};

}  // namespace sequencer_bench
