#pragma once

#include <atomic>
#include <cstdint>

namespace sequencer {

/**
 * Something to sleep on, as folly's EventCount: the condition lives elsewhere. No wake-up is lost: the waiter reads the
 * version before it looks at the condition for the last time, so a notify after that look has changed the version, and
 * wait returns at once.
 *
 * notify costs one read-modify-write while nobody sleeps, and a system call else.
 */
class Signal {
 public:
  /// After having made the condition true.
  void notify() noexcept {
    version_.fetch_add(1, std::memory_order_seq_cst);
    version_.notify_all();
  }

  /// Returns once `ready()` has returned true. Some looks first, since to sleep and to be woken costs some 10 us.
  template <class Ready>
  void wait(Ready ready) noexcept(noexcept(ready())) {
    while (true) {
      const std::uint32_t version = version_.load(std::memory_order_seq_cst);
      if (ready()) {
        return;
      }
      version_.wait(version, std::memory_order_seq_cst);
    }
  }

 private:
  std::atomic<std::uint32_t> version_{0};
};

}  // namespace sequencer
