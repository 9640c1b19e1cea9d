#include "perflab/bench/usage.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <ctime>
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

}  // namespace perflab
