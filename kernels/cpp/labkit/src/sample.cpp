#include "perflab/bench/sample.hpp"

#include <stdexcept>

namespace perflab {

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
