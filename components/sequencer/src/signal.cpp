#include "sequencer/signal.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#endif

namespace sequencer {

#if defined(__linux__)

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "what a futex is");

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

#else

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  word.wait(value, std::memory_order_seq_cst);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept { word.notify_all(); }

#endif

}  // namespace sequencer
