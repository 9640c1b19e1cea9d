#include "sequencing.hpp"

#include "sequencer/clock.hpp"

namespace sequencer_bench {

Sequencing::Sequencing(AnyEpochBuffer& buffer, Tally& tally, std::chrono::nanoseconds epoch)
    : buffer_(buffer), tally_(tally), epoch_(epoch), thread_([this] { run(); }) {}

Sequencing::~Sequencing() {
  if (thread_.joinable()) {
    finish();
  }
}

LockMeter Sequencing::finish() {
  done_.store(true, std::memory_order_release);
  thread_.join();
  return locks_;
}

void Sequencing::run() {
  auto next = std::chrono::steady_clock::now();
  while (!done_.load(std::memory_order_acquire)) {
    next = sequencer::next_in_step(next, epoch_, std::chrono::steady_clock::now());
    std::this_thread::sleep_until(next);
    end_epoch_and_take();
  }
  locks_ = LockMeter::take();
  // What was pushed while the last epoch ended may belong to the next one.
  end_epoch_and_take();
  end_epoch_and_take();
}

void Sequencing::end_epoch_and_take() {
  buffer_.advance();
  while (const auto epoch = buffer_.take(tally_)) {
    tally_.took(*epoch);
  }
}

}  // namespace sequencer_bench
