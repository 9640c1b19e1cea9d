package perflab.mailbox.lab;

import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/** Mailboxes at their edges: small chunks, and tickets that soon wrap around. */
public final class LabMailboxes {

    /** Some 20 messages before the ticket, signed, turns from its largest value to its smallest. */
    public static final long BEFORE_SIGNED_WRAPAROUND = Long.MIN_VALUE - 20 * Words.STEP;

    /** 20 messages before it turns to 0. */
    public static final long BEFORE_UNSIGNED_WRAPAROUND = -20 * Words.STEP;

    /** The shortest chunks there can be. */
    public static final int CHUNKS_OF_ONE = 1;

    private LabMailboxes() {}

    /** A factory cannot be a lambda, as its method is generic. */
    private record Unbounded(long start, int largestChunk) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new UnboundedMailbox<>(start, largestChunk);
        }
    }

    private record Bounded(long start, int capacity, int largestChunk) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new BoundedMailbox<>(start, capacity, largestChunk);
        }
    }

    private record Blocking() implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new UnboundedMailbox<>(WaitStrategy.BLOCKING);
        }
    }

    public static MailboxFactory blocking() {
        return new Blocking();
    }

    public static MailboxFactory unbounded(long start, int largestChunk) {
        return new Unbounded(start, largestChunk);
    }

    public static MailboxFactory bounded(long start, int capacity, int largestChunk) {
        return new Bounded(start, capacity, largestChunk);
    }
}
