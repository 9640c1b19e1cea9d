#pragma once

#include <chrono>
#include <cstdint>

namespace perflab {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;

/// What this process has used so far, all threads together.
struct ProcessUsage {
  /// Time on a processor; exact to the nanosecond on Linux.
  Nanoseconds cpu{};
  /// How often a thread went to sleep.
  std::int64_t voluntary_switches = 0;
  /// How often a thread was taken off its processor.
  std::int64_t involuntary_switches = 0;

  static ProcessUsage now();
};

/// What a region took. Laps can be added up.
struct Lap {
  /// By the clock.
  Nanoseconds time{};
  ProcessUsage used;

  Lap& operator+=(const Lap& more);
};

/// Times a region, and what the process takes meanwhile.
class Stopwatch {
 public:
  /// Starts it. The clock's reading is the last thing that this does.
  Stopwatch();

  /// Since the start. The clock's reading is the first thing that this does.
  Lap lap() const;

 private:
  ProcessUsage used_;
  Clock::time_point begun_;
};

}  // namespace perflab
