#pragma once

namespace sequencer {

/**
 * What a broker promises of the order in which batches are read; the numbers are Embarcadero's. Each level keeps what
 * is below it, but for FIFO per broker, which a client's own order may have to break (4 and 5).
 *
 *  0  None: acknowledged once the broker has it.
 *  1  FIFO per broker.
 *  2  Total: one sequence over all brokers, without gaps; FIFO per broker. Nothing is said of one client's batches on
 *     several brokers.
 *  4  Strong: total, and each client's messages in the order it numbered them, checked message by message and each
 *     given its own number of the sequence. A message that is missing holds back its client, for as long as it takes.
 *  5  Total, and each client's batches in the order it numbered them; a batch that has not come within a number of
 *     epochs is declared lost, in the sequence itself, and is refused if it comes after all.
 */
enum class Order { kNone = 0, kPerBroker = 1, kTotal = 2, kStrong = 4, kPerClient = 5 };

constexpr bool has_sequencer(Order order) { return order >= Order::kTotal; }
constexpr bool keeps_clients(Order order) { return order >= Order::kStrong; }

}  // namespace sequencer
