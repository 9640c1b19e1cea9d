#pragma once

#include "sequencer/any_epoch_buffer.hpp"
#include "sequencer/scanner.hpp"
#include "sequencer_bench/lock_meter.hpp"

namespace sequencer_bench {

using sequencer::AnyEpochBuffer;
using sequencer::BufferConfig;
using sequencer::Epoch;
using sequencer::PendingBatch;
using sequencer::Visit;

/// What a variant hands to scenarios and checks: how its buffers are made.
struct Subject {
  sequencer::BufferFactory make;
  /// The same buffer on locks that tell how long they were waited for and held; empty if it has none.
  sequencer::BufferFactory make_metered;
  /// How scanners look for batches in the whole pipeline.
  sequencer::Scan scan = sequencer::Scan::kFlushPoll;
};

/// Of a buffer without locks.
template <class Buffer>
Subject subject_of(sequencer::Scan scan = sequencer::Scan::kFlushPoll) {
  return {.make = AnyEpochBuffer::of<Buffer>, .make_metered = {}, .scan = scan};
}

/// Of a buffer with locks from its primitives.
template <template <class> class Buffer>
Subject subject_with_locks() {
  return {.make = AnyEpochBuffer::of<Buffer<sequencer::Primitives>>,
          .make_metered = AnyEpochBuffer::of<Buffer<MeteredPrimitives>>};
}

}  // namespace sequencer_bench
