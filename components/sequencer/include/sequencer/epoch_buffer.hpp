#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>

#include "sequencer/function_ref.hpp"
#include "sequencer/pending_batch.hpp"
#include "sequencer/types.hpp"

namespace sequencer {

/// How an epoch buffer is made. Positions and epochs may start anywhere, so that tests can start just before they wrap
/// around.
struct BufferConfig {
  /// Numbered from 0. One thread at a time pushes as one of them; it may push as others, too.
  std::size_t scanners = 1;
  /// Batches that a scanner may have pushed and the sequencer not yet taken. A buffer may round it up; one that grows
  /// ignores it.
  std::size_t capacity = 1 << 14;
  Epoch first_epoch = 0;
};

/// Shown a run of batches of one epoch; they are gone when it returns.
using Visit = FunctionRef<void(std::span<const PendingBatch>)>;

/**
 * An epoch buffer: the hand-over from the scanners, one per broker, to the sequencer. It is the policy of this topic:
 * the report's "before" and "after" differ in nothing else.
 *
 *     scanner 0 --push--> |        |
 *     scanner 1 --push--> | buffer | --take--> sequencer       all of an epoch, epoch after epoch
 *     scanner n --push--> |        |
 *                             ^
 *     driver ---advance-------+                                one epoch ends, the next begins
 *
 * Threads: `push(s, ...)` is called by scanner s alone, `advance` by the driver alone, `take` by the sequencer alone,
 * all of them at once. One thread may be several of them.
 *
 * bool push(std::size_t scanner, const PendingBatch& batch)
 *     Puts the batch into the current epoch and writes that into its `epoch`. False: no room, nothing has happened;
 *     try again later.
 *
 * bool advance()
 *     Ends the current epoch. False: too many epochs have ended without having been taken, so this one goes on.
 *     Whoever never says so must either remember any number of epochs or confuse them.
 *
 * std::optional<Epoch> take(Visit visit)
 *     If an epoch has ended that has not been taken, shows the oldest of them, in runs (none, if it is empty), and says
 *     which it was. Each scanner's batches are shown in the order pushed. In what order the scanners come is the
 *     buffer's choice, and so becomes part of the global order.
 *
 * What every correct buffer guarantees, for any threads X and Y:
 *
 *  1. Exactly once: a batch whose push returned true is shown by exactly one take, and nothing else is ever shown.
 *  2. No gap: takes that succeed return consecutive epochs from `first_epoch` on.
 *  3. FIFO: batches that one scanner pushed are shown in that order, over all epochs.
 *  4. Complete: if X's push returned before the driver's advance was called, the batch is shown by the take of the
 *     epoch that this advance ended, or of an earlier one.
 *  5. Not early: if X's push was called after an advance returned true, the batch is shown by the take of a later
 *     epoch.
 *  6. In order: if X's push returned before Y's push was called, X's batch is not shown in a later epoch than Y's.
 *  7. Hand-over: whatever X did before its push is visible to the visit.
 *
 * "Before" is happens-before. Unequal epoch numbers compare by their signed difference: they may wrap around.
 */
template <class B>
concept EpochBuffer = std::constructible_from<B, const BufferConfig&> &&
                      requires(B& buffer, std::size_t scanner, const PendingBatch& batch, Visit visit) {
                        { buffer.push(scanner, batch) } -> std::same_as<bool>;
                        { buffer.advance() } -> std::same_as<bool>;
                        { buffer.take(visit) } -> std::same_as<std::optional<Epoch>>;
                      };

}  // namespace sequencer
