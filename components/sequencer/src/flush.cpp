#include "sequencer/flush.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sequencer {

bool has(FlushInstruction instruction) noexcept {
  if (instruction == FlushInstruction::kNone) {
    return true;
  }
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (instruction == FlushInstruction::kClflush) {
    constexpr unsigned kClfsh = 1U << 19;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (edx & kClfsh) != 0;
  }
  const unsigned bit = instruction == FlushInstruction::kClflushopt ? 1U << 23 : 1U << 24;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & bit) != 0;
#else
  return false;
#endif
}

}  // namespace sequencer
