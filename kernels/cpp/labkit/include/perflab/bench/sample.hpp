#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "perflab/bench/latencies.hpp"
#include "perflab/bench/usage.hpp"

namespace perflab {

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
