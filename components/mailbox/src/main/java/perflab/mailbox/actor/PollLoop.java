package perflab.mailbox.actor;

/**
 * How an actor waits for its next message, and how many it takes at once.
 *
 * @param timeoutMs how long one poll waits, in milliseconds; zero waits without limit
 * @param yields whether the actor yields its processor after a poll that brought nothing
 * @param batchSize how many messages it takes before it handles them, at least one
 */
public record PollLoop(long timeoutMs, boolean yields, int batchSize) {

    /** Cajun's own, before and after. */
    public static final int BATCH_SIZE = 10;

    /** Waits until there is a message: only for a mailbox that never loses a wake-up. */
    public static final PollLoop UNTIMED = new PollLoop(0, false);

    public PollLoop(long timeoutMs, boolean yields) {
        this(timeoutMs, yields, BATCH_SIZE);
    }

    public PollLoop withTimeoutMs(long otherMs) {
        return new PollLoop(otherMs, yields, batchSize);
    }

    public PollLoop withYields(boolean other) {
        return new PollLoop(timeoutMs, other, batchSize);
    }

    public PollLoop withBatchSize(int other) {
        return new PollLoop(timeoutMs, yields, other);
    }
}
