#include "perflab/bench/sample.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <system_error>

namespace perflab {

ProcessUsage ProcessUsage::now() {
  timespec cpu{};
  rusage used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0 || getrusage(RUSAGE_SELF, &used) != 0) {
    throw std::system_error(errno, std::generic_category(), "what the process uses");
  }
  return {std::chrono::seconds(cpu.tv_sec) + Nanoseconds(cpu.tv_nsec), used.ru_nvcsw, used.ru_nivcsw};
}

Lap& Lap::operator+=(const Lap& more) {
  time += more.time;
  used.cpu += more.used.cpu;
  used.voluntary_switches += more.used.voluntary_switches;
  used.involuntary_switches += more.used.involuntary_switches;
  return *this;
}

Stopwatch::Stopwatch() : used_(ProcessUsage::now()), begun_(Clock::now()) {}

Lap Stopwatch::lap() const {
  const Nanoseconds time = Clock::now() - begun_;
  const ProcessUsage used = ProcessUsage::now();
  return {time,
          {used.cpu - used_.cpu, used.voluntary_switches - used_.voluntary_switches,
           used.involuntary_switches - used_.involuntary_switches}};
}

namespace {

constexpr std::uint64_t kLongestNs = 24ULL * 3'600 * 1'000'000'000;
/// Values below this have a counter each; 2048 is the first power of two above 2 x 10^3.
constexpr std::size_t kUnits = 2'048;
constexpr int kUnitBits = static_cast<int>(std::bit_width(kUnits)) - 1;

constexpr std::size_t index_of(std::uint64_t ns) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(ns)) - kUnitBits);
  return static_cast<std::size_t>(shift) * (kUnits / 2) + static_cast<std::size_t>(ns >> shift);
}

/// The largest value that is counted there.
constexpr std::uint64_t value_at(std::size_t index) {
  if (index < kUnits) {
    return index;
  }
  const std::size_t shift = index / (kUnits / 2) - 1;
  return ((static_cast<std::uint64_t>(index - shift * (kUnits / 2)) + 1) << shift) - 1;
}

static_assert(index_of(kUnits) == index_of(kUnits - 1) + 1, "no gap where the widths double");
static_assert(value_at(index_of(123'456'789)) >= 123'456'789);
static_assert(index_of(value_at(index_of(123'456'789))) == index_of(123'456'789));

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"p0", 0},   {"p50", 50},     {"p75", 75},       {"p90", 90},  {"p95", 95},
    {"p99", 99}, {"p99.9", 99.9}, {"p99.99", 99.99}, {"max", 100},
};

}  // namespace

void Latencies::reserve() {
  if (counts_.empty()) {
    counts_.resize(index_of(kLongestNs) + 1);
  }
}

void Latencies::add(std::uint64_t ns) {
  reserve();
  ns = std::clamp<std::uint64_t>(ns, 1, kLongestNs);
  ++counts_[index_of(ns)];
  min_ = total_ == 0 ? ns : std::min(min_, ns);
  max_ = std::max(max_, ns);
  ++total_;
}

void Latencies::add(const Latencies& more) {
  if (more.total_ == 0) {
    return;
  }
  reserve();
  std::transform(counts_.begin(), counts_.end(), more.counts_.begin(), counts_.begin(), std::plus<>());
  min_ = total_ == 0 ? more.min_ : std::min(min_, more.min_);
  max_ = std::max(max_, more.max_);
  total_ += more.total_;
}

Latencies::Percentiles Latencies::percentiles() const {
  Percentiles found;
  if (total_ != 0) {
    for (const auto& [name, percent] : kPercentiles) {
      found.emplace_back(name, at(percent));
    }
  }
  return found;
}

std::uint64_t Latencies::at(double percent) const {
  if (percent <= 0) {
    return min_;
  }
  const auto rank = static_cast<std::uint64_t>(std::ceil(percent / 100 * static_cast<double>(total_)));
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < counts_.size(); ++index) {
    seen += counts_[index];
    if (seen >= rank) {
      return std::min(value_at(index), max_);
    }
  }
  return max_;
}

void Sample::add(double operations, Nanoseconds time) {
  if (!(operations > 0) || time <= Nanoseconds::zero()) {
    throw std::logic_error(std::to_string(operations) + " operations in " + std::to_string(time.count()) + " ns");
  }
  operations_ += operations;
  time_ += time;
}

void Sample::add(double operations, const Lap& lap) {
  add(operations, lap.time);
  count("cpu_ns", static_cast<double>(lap.used.cpu.count()));
  count("voluntary_switches", static_cast<double>(lap.used.voluntary_switches));
  count("involuntary_switches", static_cast<double>(lap.used.involuntary_switches));
}

void Sample::count(std::string_view counter, double amount) {
  const auto place = counters_.lower_bound(counter);
  if (place != counters_.end() && place->first == counter) {
    place->second += amount;
  } else {
    counters_.emplace_hint(place, counter, amount);
  }
}

}  // namespace perflab
