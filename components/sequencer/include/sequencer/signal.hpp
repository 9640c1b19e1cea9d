#pragma once

#include <atomic>
#include <cstdint>

namespace sequencer {

/// Sleeps while the word has that value; may return sooner. At once by a futex on Linux: std::atomic's wait would give
/// the core away four times first, and so take part in the queue for it without anything to do.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;

/// Wakes all who sleep by that word.
void wake_all(std::atomic<std::uint32_t>& word) noexcept;

/**
 * Something to sleep on, as folly's EventCount: the condition lives elsewhere.
 *
 * No wake-up is lost. A waiter counts itself [W1], reads the version [W2], looks at the condition [W3], and sleeps only
 * while the version is still that [W4]. Whoever has made the condition true raises the version [N1] and looks for
 * waiters [N2]. All are sequentially consistent: if N2 finds nobody, it precedes W1, so W2 reads what N1 wrote, and W3
 * finds the condition true. If it finds somebody, either W2 came after N1, as before, or the version has changed by W4.
 *
 * notify costs one read-modify-write while nobody sleeps.
 */
class Signal {
 public:
  /// After having made the condition true.
  void notify() noexcept {
    version_.fetch_add(1, std::memory_order_seq_cst);     // [N1]
    if (waiters_.load(std::memory_order_seq_cst) != 0) {  // [N2]
      wake_all(version_);
    }
  }

  /// Returns once `ready()` has returned true.
  template <class Ready>
  void wait(Ready ready) {
    if (ready()) {
      return;
    }
    const Waiter waiter(waiters_);  // [W1]
    while (true) {
      const std::uint32_t version = version_.load(std::memory_order_seq_cst);  // [W2]
      if (ready()) {                                                           // [W3]
        return;
      }
      sleep_while(version_, version);  // [W4]
    }
  }

 private:
  class Waiter {
   public:
    explicit Waiter(std::atomic<std::uint32_t>& waiters) : waiters_(waiters) {
      waiters_.fetch_add(1, std::memory_order_seq_cst);
    }
    ~Waiter() { waiters_.fetch_sub(1, std::memory_order_relaxed); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

   private:
    std::atomic<std::uint32_t>& waiters_;
  };

  std::atomic<std::uint32_t> version_{0};
  std::atomic<std::uint32_t> waiters_{0};
};

}  // namespace sequencer
