#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace sequencer_bench {

/// Threads that begin together. They must not throw.
class Crew {
 public:
  /// Starts them; none works before `go`.
  Crew(std::size_t size, std::function<void(std::size_t)> work) : work_(std::move(work)) {
    for (std::size_t number = 0; number < size; ++number) {
      threads_.emplace_back([this, number] {
        ready_.fetch_add(1, std::memory_order_release);
        go_.wait(false, std::memory_order_acquire);
        work_(number);
      });
    }
    while (ready_.load(std::memory_order_acquire) != size) {
      std::this_thread::yield();
    }
  }

  ~Crew() {
    go();
    join();
  }

  void go() {
    go_.store(true, std::memory_order_release);
    go_.notify_all();
  }

  /// Waits until all have done their work.
  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) {
        thread.join();
      }
    }
  }

 private:
  std::function<void(std::size_t)> work_;
  std::atomic<std::size_t> ready_{0};
  std::atomic<bool> go_{false};
  std::vector<std::thread> threads_;
};

}  // namespace sequencer_bench
