#include "sequencer/spin.hpp"

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace sequencer {

namespace {

using Clock = std::chrono::steady_clock;

#if defined(__x86_64__)
/// Reading the time costs 20-30 ns through the vDSO, as much as what is to be simulated; the time stamp counter
/// costs 10.
double ticks_per_ns() {
  static const double calibrated = [] {
    const auto start = Clock::now();
    const std::uint64_t first = __rdtsc();
    while (Clock::now() - start < std::chrono::milliseconds(5)) {
    }
    const std::uint64_t last = __rdtsc();
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
    return static_cast<double>(last - first) / elapsed.count();
  }();
  return calibrated;
}
#endif

}  // namespace

void spin_for(std::chrono::nanoseconds duration) noexcept {
  if (duration <= std::chrono::nanoseconds::zero()) {
    return;
  }
#if defined(__x86_64__)
  const auto ticks = static_cast<std::uint64_t>(static_cast<double>(duration.count()) * ticks_per_ns());
  const std::uint64_t start = __rdtsc();
  while (__rdtsc() - start < ticks) {
  }
#else
  const auto start = Clock::now();
  while (Clock::now() - start < duration) {
  }
#endif
}

}  // namespace sequencer
