#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "sequencer/function_ref.hpp"
#include "sequencer/pending_batch.hpp"
#include "sequencer/types.hpp"

namespace sequencer {

/**
 * Puts each client's batches into the client's own order, whichever brokers they came through (orders 4 and 5).
 *
 * A batch whose predecessor has not come is held back. At order 5, what a client's batches have been held back for
 * longer than `patience` epochs is declared lost: `lose` is told the gap, then what was held back behind it is placed.
 * A batch that comes after it has been declared lost, or comes twice, is refused: the loss stands in the sequence and
 * others may have acted on it.
 *
 * Guarantees: for each client, the calls of `place` and `lose` together name the sequence numbers 0, 1, 2, ... without
 * gap or repetition.
 *
 * Memory: what is held back. Single-threaded: the sequencer's own.
 */
class ClientOrder {
 public:
  using Place = FunctionRef<void(const PendingBatch&)>;
  using Lose = FunctionRef<void(ClientId client, ClientSequence first, std::uint32_t count)>;

  /// Without patience, gaps are waited for as long as it takes (order 4).
  explicit ClientOrder(std::optional<Epoch> patience) : patience_(patience) {}

  /// A batch of epoch `now`. False if it is refused.
  [[nodiscard]] bool arrive(const PendingBatch& batch, Epoch now, Place place);

  /// At the end of epoch `now`: declares what has been waited for too long.
  void end_epoch(Epoch now, Place place, Lose lose);

  std::size_t held_back() const { return held_back_; }

 private:
  struct Held {
    PendingBatch batch;
    Epoch since;
  };

  struct Client {
    ClientSequence next = 0;
    std::map<ClientSequence, Held> held;
  };

  void place_held(Client& client, Place place);

  const std::optional<Epoch> patience_;
  std::unordered_map<ClientId, Client> clients_;
  std::size_t held_back_ = 0;
};

}  // namespace sequencer
