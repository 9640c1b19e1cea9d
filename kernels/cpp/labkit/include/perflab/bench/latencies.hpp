#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace perflab {

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

}  // namespace perflab
