package perflab.mailbox.lab;

import perflab.mailbox.Mailbox;

/** Mailboxes at their edges: small chunks, and tickets that soon wrap around. */
public final class LabMailboxes {

    /** Some 20 messages before the ticket, signed, turns from its largest value to its smallest. */
    public static final long BEFORE_SIGNED_WRAPAROUND = Long.MIN_VALUE - 20 * Words.STEP;

    /** 20 messages before it turns to 0. */
    public static final long BEFORE_UNSIGNED_WRAPAROUND = -20 * Words.STEP;

    private LabMailboxes() {}

    public static Mailbox<?> unbounded(long start, int largestChunk) {
        return new UnboundedMailbox<>(start, largestChunk);
    }

    public static Mailbox<?> bounded(long start, int capacity, int largestChunk) {
        return new BoundedMailbox<>(start, capacity, largestChunk);
    }
}
