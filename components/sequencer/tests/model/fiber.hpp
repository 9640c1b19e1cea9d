#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace sequencer::model {

/// A thread of the program under test, run a step at a time by the explorer.
class Fiber {
 public:
  Fiber() : stack_(new std::byte[kStackBytes]) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void start(std::function<void()> body);

  /// Runs it until it calls pause() or ends.
  void resume();

  /// From within: back to whoever called resume().
  void pause();

  bool finished() const { return finished_; }

 private:
  static constexpr std::size_t kStackBytes = 128 << 10;

  static void enter(unsigned low, unsigned high);

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  ucontext_t own_{};
  ucontext_t caller_{};
  bool finished_ = true;
};

}  // namespace sequencer::model
