package perflab.mailbox.actor;

/**
 * How an actor waits for its next message, and how many it takes at once.
 *
 * @param timeoutMs how long one poll waits, in milliseconds; zero waits without limit
 * @param longestMs how long one poll waits at most after polls that brought nothing, each of which doubles it; a message
 *     brings it back to {@code timeoutMs}
 * @param yields whether the actor yields its processor after a poll that brought nothing
 * @param batchSize how many messages it takes before it handles them, at least one
 */
public record PollLoop(long timeoutMs, long longestMs, boolean yields, int batchSize) {

    public static final int BATCH_SIZE = 10;

    /** Waits until there is a message: only for a mailbox that never loses a wake-up. */
    public static final PollLoop UNTIMED = new PollLoop(0, false);

    public PollLoop(long timeoutMs, boolean yields) {
        this(timeoutMs, timeoutMs, yields, BATCH_SIZE);
    }

    /** The report's "adaptive polling": polls that become longer while nothing comes. */
    public static PollLoop adaptive(long shortestMs, long longestMs) {
        return new PollLoop(shortestMs, longestMs, false, BATCH_SIZE);
    }

    public PollLoop withTimeoutMs(long otherMs) {
        return new PollLoop(otherMs, otherMs, yields, batchSize);
    }

    public PollLoop withYields(boolean other) {
        return new PollLoop(timeoutMs, longestMs, other, batchSize);
    }

    public PollLoop withBatchSize(int other) {
        return new PollLoop(timeoutMs, longestMs, yields, other);
    }

    /** The timeout after a poll of this length that brought nothing, in milliseconds. */
    long afterNothing(long lastMs) {
        return Math.min(longestMs, 2 * lastMs);
    }
}
