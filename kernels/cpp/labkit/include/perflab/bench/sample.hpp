#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/**
 * Latencies in nanoseconds, from one to a day, each within 0.1 %.
 *
 * The counters lie as in Gil Tene's HdrHistogram with three significant digits: 2048 of width one, then 1024 more for
 * each further power of two, twice as wide each time. Debian packages no C++ version of it.
 */
class Latencies {
 public:
  using Percentiles = std::vector<std::pair<std::string, std::uint64_t>>;

  /// What lies outside the range counts as its nearest end. Allocates at the first one.
  void add(std::uint64_t ns);

  /// Puts those of another thread to these.
  void add(const Latencies& more);

  /// Makes room, so that no `add` that follows allocates.
  void reserve();

  /// p0, p50, p75, p90, p95, p99, p99.9, p99.99 and max; empty if there were none.
  Percentiles percentiles() const;

 private:
  std::uint64_t at(double percent) const;

  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  std::uint64_t min_ = 0;
  std::uint64_t max_ = 0;
};

/// One measurement in the making: operations, their time, latencies and counters.
class Sample {
 public:
  /// Adds a timed region that held so many operations; throws std::logic_error if there were none, or it took no time.
  void add(double operations, Nanoseconds time);

  /// As `add`, and to the counters `cpu_ns`, `voluntary_switches` and `involuntary_switches`.
  void add(double operations, const Lap& lap);

  void latency(Nanoseconds latency) { latencies_.add(static_cast<std::uint64_t>(latency.count())); }
  void latencies(const Latencies& more) { latencies_.add(more); }

  /// Adds to a counter. A counter that stays at zero appears too once zero was added.
  void count(std::string_view counter, double amount);

  double ops() const noexcept { return operations_; }
  Nanoseconds total() const noexcept { return time_; }
  const Latencies& all_latencies() const noexcept { return latencies_; }
  const std::map<std::string, double, std::less<>>& counters() const noexcept { return counters_; }

 private:
  double operations_ = 0;
  Nanoseconds time_{};
  Latencies latencies_;
  std::map<std::string, double, std::less<>> counters_;
};

}  // namespace perflab
