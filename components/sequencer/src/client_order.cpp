#include "sequencer/client_order.hpp"

#include <algorithm>

namespace sequencer {

bool ClientOrder::arrive(const PendingBatch& batch, Epoch now, Place place) {
  Client& client = clients_[batch.client];
  if (batch.client_sequence < client.next) {
    return false;
  }
  if (batch.client_sequence > client.next) {
    const bool first = client.held.try_emplace(batch.client_sequence, Held{batch, now}).second;
    held_back_ += first ? 1 : 0;
    return first;
  }
  place(batch);
  ++client.next;
  place_held(client, place);
  return true;
}

void ClientOrder::end_epoch(Epoch now, Place place, Lose lose) {
  if (!patience_ || held_back_ == 0) {
    return;
  }
  const auto out_of_patience = [&](const auto& held) { return now - held.second.since >= *patience_; };
  for (auto& [id, client] : clients_) {
    // Not only the first of them: it may have come last.
    while (std::any_of(client.held.begin(), client.held.end(), out_of_patience)) {
      const ClientSequence found = client.held.begin()->first;
      lose(id, client.next, static_cast<std::uint32_t>(found - client.next));
      client.next = found;
      place_held(client, place);
    }
  }
}

void ClientOrder::place_held(Client& client, Place place) {
  for (auto held = client.held.begin(); held != client.held.end() && held->first == client.next;) {
    place(held->second.batch);
    ++client.next;
    held = client.held.erase(held);
    --held_back_;
  }
}

}  // namespace sequencer
