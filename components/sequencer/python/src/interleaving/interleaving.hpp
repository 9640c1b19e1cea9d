#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interleaving/store_buffer.hpp"
#include "interleaving/turns.hpp"
#include "sequencer/any_epoch_buffer.hpp"

namespace sequencer::python {

/// How much everybody does.
struct Bounds {
  std::size_t scanners = 1;
  /// Of each scanner.
  std::size_t pushes = 1;
  /// Ended by the driver, and attempts of the sequencer to take one.
  std::size_t epochs = 1;
  /// Of each scanner, in batches.
  std::size_t capacity = 4;
};

/// Where the driver's stores are when it goes on.
enum class DriverStores { kInMemory, kBuffered, kBufferedWithoutFences };

/**
 * Scanners S0, S1, ... that push, a driver D that advances and a sequencer Q that takes, on one epoch buffer, an access
 * of shared memory at a time; and B, which writes the driver's stores to memory, if they are buffered. Whatever they
 * have done, `finish` holds it against the contract of EpochBuffer.
 */
class Interleaving {
 public:
  /// @throws std::invalid_argument for an unknown variant, or bounds that nobody could step through.
  Interleaving(const std::string& variant, const Bounds& bounds, DriverStores stores = DriverStores::kInMemory);

  const std::vector<std::string>& actors() const { return names_; }

  /// Those that can go on.
  std::vector<std::string> enabled() const;

  /// The actor's next access; says what it did.
  /// @throws std::invalid_argument for an actor that there is not, std::logic_error for one that cannot go on.
  std::string step(const std::string& actor);

  /// Who did what, in order.
  const std::vector<std::pair<std::string, std::string>>& history() const { return history_; }

  /// Lets everybody come to an end, one after the other, takes what is left, and says in how many ways the contract was
  /// broken. Nothing can be stepped afterwards.
  const std::vector<std::string>& finish();

 private:
  struct Pushed {
    PendingBatch batch;
    /// Advances that had returned when push was called, and that had been called when it returned.
    std::size_t ended_before = 0;
    std::size_t begun_after = 0;
    /// When it was called and when it returned, counted over the calls and returns of all pushes.
    std::size_t called = 0;
    std::size_t returned = 0;
    std::vector<Epoch> shown;
  };

  void push(std::size_t scanner, Position position);
  void advance();
  bool take();
  void shown(const PendingBatch& batch, Epoch epoch);
  void judge();
  void judge_order_between_scanners();

  AnyEpochBuffer buffer_;
  StoreBuffer driver_stores_;
  std::vector<std::string> names_;
  std::vector<std::vector<Pushed>> pushed_;
  /// Per scanner, the positions as they were shown.
  std::vector<std::vector<Position>> order_;
  /// Per actor, what its call under way notes as it begins. That is with its first access of memory: an actor stands
  /// before one, and as late as this a call of the same history could have been made.
  std::vector<std::function<void()>> begins_;
  std::size_t pushes_called_or_returned_ = 0;
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
  Epoch next_epoch_ = 0;
  bool gap_ = false;
  std::vector<std::pair<std::string, std::string>> history_;
  std::optional<std::vector<std::string>> violations_;

  // Last, so that actors end before what they work on.
  Turns turns_;
};

}  // namespace sequencer::python
