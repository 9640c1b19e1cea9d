#include "sequencer/sequencer.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "sequencer/clock.hpp"

namespace sequencer {

Sequencer::Sequencer(const SequencerConfig& config, AnyEpochBuffer& buffer, GlobalOrderIndex& index,
                     std::span<Broker* const> brokers)
    : config_(config),
      buffer_(buffer),
      index_(index),
      brokers_(brokers),
      flusher_(config.flush),
      acknowledgements_(brokers.size()),
      epoch_(config.first_epoch) {}

bool Sequencer::step(const std::atomic<bool>& stop) {
  stop_ = &stop;
  const std::int64_t start = now_ns();
  const std::uint64_t batches_before = stats_.batches;
  const std::uint64_t entries_before = next_index_;
  const std::optional<Epoch> taken = buffer_.take([&](std::span<const PendingBatch> run) {
    for (const PendingBatch& batch : run) {
      place(batch);
    }
  });
  if (!taken) {
    return false;
  }
  if (*taken != epoch_) {
    throw std::logic_error("the buffer took epoch " + std::to_string(*taken) + " where " + std::to_string(epoch_) +
                           " was due");
  }
  commit();
  const bool acknowledged = acknowledge();
  if (acknowledged || next_index_ != entries_before) {
    index_.grown.notify();
  }
  ++stats_.epochs;
  if (stats_.batches != batches_before) {
    ++stats_.busy_epochs;
    stats_.busy += std::chrono::nanoseconds(now_ns() - start);
  }
  ++epoch_;
  return true;
}

void Sequencer::place(const PendingBatch& batch) {
  wait_for_room();
  GlobalOrderEntry entry{.ticket = next_index_ + 1,
                         .sequence = next_sequence_,
                         .epoch = epoch_,
                         .position = batch.position,
                         .log_offset = batch.log_offset,
                         .client_sequence = batch.client_sequence,
                         .broker = batch.broker,
                         .client = batch.client,
                         .messages = batch.messages,
                         .bytes = batch.bytes};
  if (config_.time_stamps) {
    entry.published_ns = brokers_[batch.broker]->header(batch.position).published_ns;
    entry.ordered_ns = now_ns();
  }
  GlobalOrderEntry& slot = index_.at(next_index_);
  // The second line is left alone where nobody asks for it.
  std::memcpy(static_cast<void*>(&slot), &entry, config_.time_stamps ? sizeof entry : kCacheLine);
  flusher_.flush(&slot, kCacheLine);
  ++next_index_;
  next_sequence_ += batch.messages;
  ++stats_.batches;
  if (config_.commit == Commit::kPerEntry) {
    commit();
  }
  acknowledgements_[batch.broker].prefix.add(batch.position);
  acknowledgements_[batch.broker].due = true;
}

void Sequencer::commit() {
  if (index_.committed.load(std::memory_order_relaxed) == next_index_) {
    return;
  }
  flusher_.fence();
  index_.committed.store(next_index_, std::memory_order_release);
}

bool Sequencer::acknowledge() {
  bool any = false;
  for (std::size_t broker = 0; broker < acknowledgements_.size(); ++broker) {
    Acknowledgement& acknowledgement = acknowledgements_[broker];
    if (acknowledgement.due) {
      acknowledgement.due = false;
      any = true;
      if (config_.release) {
        brokers_[broker]->released.store(acknowledgement.prefix.end(), std::memory_order_release);
      }
      brokers_[broker]->acknowledged.store(acknowledgement.prefix.end(), std::memory_order_release);
      brokers_[broker]->moved.notify();
    }
  }
  return any;
}

void Sequencer::wait_for_room() {
  const auto room = [&] {
    return next_index_ - index_.read.load(std::memory_order_acquire) < index_.capacity() ||
           stop_->load(std::memory_order_relaxed);
  };
  if (!room()) {
    // Readers see what there is, or they could not make room. They are told even if all of it was committed entry by
    // entry: whoever has slept since this epoch's take knows of none.
    commit();
    index_.grown.notify();
    index_.drained.wait(room);
  }
}

}  // namespace sequencer
