#pragma once

#include <boost/lockfree/queue.hpp>
#include <cstddef>

#include "sequencer/buffers/peers/queue_buffer.hpp"

namespace sequencer {

/// Michael and Scott's list with nodes from a free list: boost::lockfree::queue, all of its nodes allocated beforehand.
class BoostQueue {
 public:
  explicit BoostQueue(std::size_t capacity) : queue_(capacity) {}

  bool try_push(const Queued& queued) { return queue_.bounded_push(queued); }
  bool try_pop(Queued& queued) { return queue_.pop(queued); }

 private:
  boost::lockfree::queue<Queued> queue_;
};

using BoostQueueBuffer = QueueBuffer<BoostQueue>;

}  // namespace sequencer
