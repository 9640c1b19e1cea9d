package perflab.mailbox;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A queue with many producers and one consumer.
 *
 * <p><b>Threads.</b> Any thread may call the offers, {@link #size} and {@link #capacity}. The other methods belong to one
 * consumer at a time.
 *
 * <p><b>Delivery.</b> A message whose offer returned true is received exactly once; one whose offer returned false,
 * never. Messages of one producer are received in the order in which it offered them; nothing is promised between
 * producers.
 *
 * <p><b>Memory.</b> What a producer did before an offer happens before what the consumer does after it received that
 * message.
 *
 * <p><b>Liveness.</b> A consumer that waits in {@link #poll} or {@link #take} receives a message soon after its offer
 * returned, not only when its timeout ends.
 *
 * @param <E> the type of the messages
 * @see perflab.mailbox.lab.UnboundedMailbox
 * @see perflab.mailbox.lab.BoundedMailbox
 */
public interface Mailbox<E> {

    /**
     * Adds a message without waiting for room.
     *
     * @param message what to add
     * @return false if the mailbox refused the message: it was full, or closed
     * @throws NullPointerException if the message is null
     */
    boolean offer(E message);

    /**
     * Adds a message, waiting for room if need be.
     *
     * <p>Unless a mailbox knows better, it asks again after pauses that double from 1 us to 1 ms.
     *
     * @param message what to add
     * @param timeout how long to wait at most; zero or less does not wait
     * @param unit the unit of the timeout
     * @return false if there was no room in time, or the mailbox was closed
     * @throws NullPointerException if the message is null
     * @throws InterruptedException if the producer was interrupted while it waited; the message is then not in the mailbox
     */
    default boolean offer(E message, long timeout, TimeUnit unit) throws InterruptedException {
        return Retry.offer(() -> offer(message), unit.toNanos(timeout));
    }

    /**
     * Adds messages in their order, as many of them as there is room for, without waiting. Messages of other producers may
     * come between them.
     *
     * @param messages what to add
     * @return how many were added: those are the first of the list, and the others have been refused
     * @throws NullPointerException if one of the messages is null; then none was added
     */
    default int offerAll(List<? extends E> messages) {
        messages.forEach(Objects::requireNonNull);
        int added = 0;
        for (E message : messages) {
            if (!offer(message)) {
                break;
            }
            added++;
        }
        return added;
    }

    /**
     * Takes the oldest message, waiting for one if need be.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @param unit the unit of the timeout
     * @return the message, or null if none came in time
     * @throws InterruptedException if the consumer was interrupted while it waited
     */
    E poll(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * Takes the oldest message, waiting for one without limit.
     *
     * @return the message; null only of a mailbox that is closed and empty
     * @throws InterruptedException if the consumer was interrupted while it waited
     */
    E take() throws InterruptedException;

    /**
     * Moves messages that are there into a collection, oldest first, without waiting.
     *
     * @param sink where they go; if it throws, the message stays in the mailbox
     * @param max how many at most
     * @return how many were moved
     */
    int drainTo(Collection<? super E> sink, int max);

    /**
     * Refuses all offers from now on: what was accepted before is received still. Any thread may call it. A mailbox that cannot be
     * closed does nothing, which is the default.
     */
    default void close() {}

    /**
     * How many messages are in the mailbox.
     *
     * @return their number; while others use the mailbox, an estimate
     */
    int size();

    /**
     * How many messages the mailbox can hold at most.
     *
     * @return their number; {@code Integer.MAX_VALUE} if memory is the only bound
     */
    int capacity();
}
