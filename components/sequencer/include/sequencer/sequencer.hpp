#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sequencer/any_epoch_buffer.hpp"
#include "sequencer/broker.hpp"
#include "sequencer/flush.hpp"
#include "sequencer/global_order.hpp"
#include "sequencer/prefix.hpp"

namespace sequencer {

/// When index entries become visible to readers.
enum class Commit {
  /// A fence and a store of the index's end for each entry.
  kPerEntry,
  /// Entries are flushed as they are written, and one fence stands before the one store for all of the epoch.
  kPerEpoch,
};

struct SequencerConfig {
  FlushPolicy flush;
  Commit commit = Commit::kPerEpoch;
  /// Copies the publisher's time stamp into the index, for latencies. Reads the header's second line.
  bool time_stamps = false;
  /// Payloads may be overwritten as soon as they have been acknowledged; false if a subscriber reads them.
  bool release = true;
  Epoch first_epoch = 0;
};

struct SequencerStats {
  std::uint64_t epochs = 0;
  std::uint64_t batches = 0;
  /// Of the epochs that held anything: from the take to the last acknowledgement.
  std::uint64_t busy_epochs = 0;
  std::chrono::nanoseconds busy{0};
};

/**
 * The sequencer: takes epoch after epoch, gives each batch its numbers of the one sequence, writes the index,
 * acknowledges.
 *
 * Invariants of what it writes:
 *   - sequence(entry) + messages(entry) == sequence(next entry), from 0 on: total, gap-free, monotonic;
 *   - a reader that loads `committed` > i with acquire finds entry i complete, and the payload it points to;
 *   - a broker's `acknowledged` = p only after all its batches before p have an entry that is committed.
 *
 * Readers that sleep are woken once per epoch, behind its last acknowledgement, however often entries are committed
 * within it: so what the two kinds of `Commit` differ in is the fence and the store, and no wake-up. Nobody sleeps for
 * ever. Between two steps all that is committed or acknowledged has been told, since each step that has done either
 * ends with telling it; behind the acknowledgements, as a reader releases only what has been acknowledged. Within a
 * step the sequencer waits for readers in one place, where the index is full, and tells them before it does.
 *
 * Single-threaded; whoever calls step() is the sequencer.
 */
class Sequencer {
 public:
  Sequencer(const SequencerConfig& config, AnyEpochBuffer& buffer, GlobalOrderIndex& index,
            std::span<Broker* const> brokers);

  /// Takes one epoch, if one has ended. Waits, where readers are a whole ring of the index behind, until they go on or
  /// `stop` is set.
  bool step(const std::atomic<bool>& stop);

  const SequencerStats& stats() const { return stats_; }

 private:
  void place(const PendingBatch& batch);
  void commit();
  /// Whether there was anything to acknowledge.
  bool acknowledge();
  void wait_for_room();

  struct Acknowledgement {
    Prefix prefix;
    bool due = false;
  };

  const SequencerConfig config_;
  AnyEpochBuffer& buffer_;
  GlobalOrderIndex& index_;
  const std::span<Broker* const> brokers_;
  Flusher flusher_;
  std::vector<Acknowledgement> acknowledgements_;

  const std::atomic<bool>* stop_ = nullptr;
  Epoch epoch_;
  std::uint64_t next_index_ = 0;
  Sequence next_sequence_ = 0;
  SequencerStats stats_;
};

}  // namespace sequencer
