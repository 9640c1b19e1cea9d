#pragma once

namespace sequencer {

/**
 * What a broker promises of the order in which batches are read; the numbers are Embarcadero's. Each level keeps what
 * is below it.
 *
 *  0  None: acknowledged once the broker has it.
 *  1  FIFO per broker.
 *  2  Total: one sequence over all brokers, without gaps; FIFO per broker. Nothing is said of one client's batches on
 *     several brokers.
 */
enum class Order { kNone = 0, kPerBroker = 1, kTotal = 2 };

constexpr bool has_sequencer(Order order) { return order >= Order::kTotal; }

}  // namespace sequencer
