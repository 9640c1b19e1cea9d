#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer_bench {

using sequencer::BufferConfig;
using sequencer::Epoch;
using sequencer::PendingBatch;
using sequencer::Visit;

/**
 * An epoch buffer without its type. Scenarios are compiled once; of a buffer only what is below is, so that a reader's
 * own compiles in seconds.
 *
 * A call through it costs about a nanosecond. Where that is much, in `push`, the loop is on the buffer's side.
 */
class HandOver {
 public:
  HandOver() = default;
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  virtual ~HandOver() = default;

  virtual bool push(std::size_t scanner, const PendingBatch& batch) = 0;
  virtual bool advance() = 0;
  virtual std::optional<Epoch> take(Visit visit) = 0;

  /// Pushes so many batches in a row, with positions from that of `first` on; gives its core away while there is no
  /// room. Returns how often there was none.
  virtual std::uint64_t push_run(std::size_t scanner, PendingBatch first, std::uint64_t count) = 0;
};

template <class Buffer>
  requires sequencer::EpochBuffer<Buffer>
class HandOverOf final : public HandOver {
 public:
  explicit HandOverOf(const BufferConfig& config) : buffer_(config) {}

  bool push(std::size_t scanner, const PendingBatch& batch) override { return buffer_.push(scanner, batch); }
  bool advance() override { return buffer_.advance(); }
  std::optional<Epoch> take(Visit visit) override { return buffer_.take(visit); }

  std::uint64_t push_run(std::size_t scanner, PendingBatch batch, std::uint64_t count) override {
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      while (!buffer_.push(scanner, batch)) {
        ++refused;
        std::this_thread::yield();
      }
      ++batch.position;
    }
    return refused;
  }

 private:
  Buffer buffer_;
};

}  // namespace sequencer_bench
