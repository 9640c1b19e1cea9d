#include "sequencer/scanner.hpp"

#include <algorithm>

namespace sequencer {

std::size_t Scanner::scan() {
  ++stats_.polls;
  const std::size_t handed_over = mode_ == Scan::kFlushPoll ? poll_one() : scan_rung();
  if (handed_over == 0) {
    ++stats_.empty_polls;
  } else if (buffer_ == nullptr) {
    broker_.released.store(position_, std::memory_order_release);
    broker_.acknowledged.store(position_, std::memory_order_release);
    broker_.moved.notify();
  }
  return handed_over;
}

std::size_t Scanner::poll_one() {
  const BatchHeader& header = broker_.header(position_);
  flusher_.invalidate(&header);
  flusher_.invalidated_as_published();
  if (header.ticket.load(std::memory_order_acquire) != position_ + 1) {
    return 0;
  }
  return hand_over(header) ? 1 : 0;
}

std::size_t Scanner::scan_rung() {
  const Position filled = broker_.doorbell.load(std::memory_order_acquire);
  const std::size_t found = std::min<std::size_t>(filled - position_, kGroup);
  if (found == 0) {
    return 0;
  }
  for (std::size_t i = 0; i < found; ++i) {
    flusher_.invalidate(&broker_.header(position_ + i));
  }
  flusher_.invalidated();
  for (std::size_t i = 0; i < found; ++i) {
    __builtin_prefetch(&broker_.header(position_ + i));
  }
  std::size_t handed_over = 0;
  while (handed_over < found && hand_over(broker_.header(position_))) {
    ++handed_over;
  }
  return handed_over;
}

bool Scanner::hand_over(const BatchHeader& header) {
  if (buffer_ != nullptr) {
    const bool accepted = buffer_->push(number_, {.position = position_,
                                                  .log_offset = header.log_offset,
                                                  .client_sequence = header.client_sequence,
                                                  .broker = broker_.id(),
                                                  .client = header.client,
                                                  .messages = header.messages,
                                                  .bytes = header.bytes});
    if (!accepted) {
      ++stats_.refused;
      return false;
    }
  }
  ++position_;
  return true;
}

}  // namespace sequencer
