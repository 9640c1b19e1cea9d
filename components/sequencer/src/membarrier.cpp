#include "sequencer/membarrier.hpp"

#include <atomic>
#include <cstdlib>

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sequencer {

namespace {

bool register_for_membarrier() noexcept {
#if defined(__linux__)
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#else
  return false;
#endif
}

}  // namespace

const bool kHasMembarrier = register_for_membarrier();

void membarrier() noexcept {
#if defined(__linux__)
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    // Not once registered; and no order at all is worse than no process.
    std::abort();
  }
#endif
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif
void full_thread_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

}  // namespace sequencer
