#pragma once

#include <functional>
#include <memory>

#include "sequencer/any_epoch_buffer.hpp"
#include "sequencer/scanner.hpp"
#include "sequencer_bench/hand_over.hpp"
#include "sequencer_bench/lock_meter.hpp"

namespace sequencer_bench {

/// What a variant hands to scenarios and checks: how its buffers are made.
struct Subject {
  using Make = std::function<std::unique_ptr<HandOver>(const BufferConfig&)>;

  Make make;
  /// The same buffer on locks that tell how long they were waited for and held; empty if it has none.
  Make make_metered;
  /// The same buffer in the whole pipeline, and how its scanners look for batches there.
  sequencer::BufferFactory in_pipeline;
  sequencer::Scan scan = sequencer::Scan::kFlushPoll;
};

/// Of a buffer without locks.
template <class Buffer>
Subject subject_of(sequencer::Scan scan = sequencer::Scan::kFlushPoll) {
  return {.make = [](const BufferConfig& config) { return std::make_unique<HandOverOf<Buffer>>(config); },
          .make_metered = {},
          .in_pipeline = sequencer::AnyEpochBuffer::of<Buffer>,
          .scan = scan};
}

/// Of a buffer with locks from its primitives.
template <template <class> class Buffer>
Subject subject_with_locks() {
  Subject subject = subject_of<Buffer<sequencer::Primitives>>();
  subject.make_metered = subject_of<Buffer<MeteredPrimitives>>().make;
  return subject;
}

}  // namespace sequencer_bench
