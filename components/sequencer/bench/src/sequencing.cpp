#include "sequencing.hpp"

#include <utility>

namespace sequencer_bench {

Sequencing::Sequencing(AnyEpochBuffer& buffer, Tally& tally, std::chrono::nanoseconds epoch,
                       std::function<void()> stall)
    : buffer_(buffer), tally_(tally), epoch_(epoch), stall_(std::move(stall)), thread_([this] { run(); }) {}

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
    next += epoch_;
    std::this_thread::sleep_until(next);
    end_epoch_and_take();
  }
  locks_ = LockMeter::take();
  // What was pushed while the last epoch ended may belong to the next one.
  end_epoch_and_take();
  end_epoch_and_take();
}

void Sequencing::end_epoch_and_take() {
  prolonged_ += buffer_.advance() ? 0 : 1;
  if (stall_) {
    stall_();
  }
  while (const auto epoch = buffer_.take(tally_)) {
    tally_.took(*epoch);
  }
}

}  // namespace sequencer_bench
