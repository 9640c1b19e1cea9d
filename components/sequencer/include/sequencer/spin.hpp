#pragma once

#include <chrono>

namespace sequencer {

/// Busy for at least that long, to some 10 ns: a simulation of a device that is further away than memory. Calibrated at
/// first use.
void spin_for(std::chrono::nanoseconds duration) noexcept;

/// A hint to the core that this is a spin loop.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace sequencer
