package perflab.mailbox.bench;

import java.util.concurrent.TimeUnit;

/**
 * When messages are due at a constant rate: one every {@code 1 / perSecond} seconds, from the producers in turn.
 *
 * <p>Each time is computed from the message's number, not from the time before, so that rounding does not add up: the
 * millionth message is as exact as the first, to the nanosecond.
 */
record Schedule(long perSecond, int producers) {

    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    /** When a message is due, in nanoseconds after the start, rounded down. */
    long dueNs(int producer, int sequence) {
        return timeOf((long) sequence * producers + producer);
    }

    /** How many messages of each producer fit into a given time; at least one. */
    long messagesEach(long milliseconds) {
        return Math.max(1, perSecond * milliseconds / (TimeUnit.SECONDS.toMillis(1) * producers));
    }

    /** How long so many messages take, in nanoseconds: until one more would be due. */
    long lengthNs(long messagesEach) {
        return timeOf(messagesEach * producers);
    }

    /** Whole seconds and the rest by themselves: the product of number and nanoseconds would overflow. */
    private long timeOf(long number) {
        return number / perSecond * SECOND_NS + number % perSecond * SECOND_NS / perSecond;
    }
}
