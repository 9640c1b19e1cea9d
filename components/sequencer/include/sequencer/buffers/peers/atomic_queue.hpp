#pragma once

#include <atomic_queue/atomic_queue.h>

#include <cstddef>

#include "sequencer/buffers/peers/queue_buffer.hpp"

namespace sequencer {

/// A ring whose ends are moved by fetch-add: Maxim Egorushkin's atomic_queue, in the form that takes any type.
class AtomicRingQueue {
 public:
  explicit AtomicRingQueue(std::size_t capacity) : queue_(static_cast<unsigned>(capacity)) {}

  bool try_push(const Queued& queued) { return queue_.try_push(queued); }
  bool try_pop(Queued& queued) { return queue_.try_pop(queued); }

 private:
  atomic_queue::AtomicQueueB2<Queued> queue_;
};

using AtomicQueueBuffer = QueueBuffer<AtomicRingQueue>;

}  // namespace sequencer
