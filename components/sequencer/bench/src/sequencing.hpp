#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "sequencer_bench/lock_meter.hpp"
#include "sequencer_bench/subject.hpp"
#include "tally.hpp"

namespace sequencer_bench {

/// The other side of the hand-over on a thread of its own: the driver and the sequencer in one, since the machine may
/// have few cores. Ends an epoch every so often and takes what has ended.
class Sequencing {
 public:
  /// Both references outlive this.
  Sequencing(AnyEpochBuffer& buffer, Tally& tally, std::chrono::nanoseconds epoch);
  ~Sequencing();

  /// Takes what is left, when all scanners have ended, and waits for it. Returns what the thread did at locks.
  LockMeter finish();

 private:
  void run();
  void end_epoch_and_take();

  AnyEpochBuffer& buffer_;
  Tally& tally_;
  const std::chrono::nanoseconds epoch_;
  LockMeter locks_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace sequencer_bench
