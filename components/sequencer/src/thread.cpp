#include "sequencer/thread.hpp"

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#endif

namespace sequencer {

bool pin_to_cpu([[maybe_unused]] int cpu) noexcept {
#if defined(__linux__)
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<unsigned>(cpu), &cpus);
  return ::pthread_setaffinity_np(::pthread_self(), sizeof cpus, &cpus) == 0;
#else
  return false;
#endif
}

void sleep_precisely() noexcept {
#if defined(__linux__)
  constexpr unsigned long kNanoseconds = 1;
  ::prctl(PR_SET_TIMERSLACK, kNanoseconds);
#endif
}

}  // namespace sequencer
