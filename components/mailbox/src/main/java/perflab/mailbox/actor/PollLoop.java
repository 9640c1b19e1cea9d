package perflab.mailbox.actor;

/**
 * How an actor waits for its next message.
 *
 * @param timeoutMs how long one poll waits, in milliseconds; zero waits without limit
 * @param yields whether the actor yields its processor after a poll that brought nothing
 */
public record PollLoop(long timeoutMs, boolean yields) {

    /** Waits until there is a message: only for a mailbox that never loses a wake-up. */
    public static final PollLoop UNTIMED = new PollLoop(0, false);

    /** The same loop with another timeout; zero keeps this one. */
    public PollLoop withTimeoutMs(long otherMs) {
        return otherMs == 0 ? this : new PollLoop(otherMs, yields);
    }
}
