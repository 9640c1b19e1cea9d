package perflab.mailbox.lab;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The accessors of a mailbox's shared fields, named by their memory order.
 *
 * <p>{@code claims} and {@code taken} hold a <i>ticket</i>, the number of a message times four, and flags in the lowest bits.
 * Tickets wrap around: they are compared by their difference, never by {@code <}.
 */
abstract class Words extends Layout.Last {

    /** From one ticket to the next. */
    static final long STEP = 4;

    /** In {@code claims}: the consumer sleeps, or is about to. In {@code taken}: a producer waits for room, or is about to. */
    static final long WAITING = 1;

    /** In {@code claims}: no claim that comes after this counts. It is never taken back. */
    static final long CLOSED = 2;

    private static final VarHandle CLAIMS = handle(Layout.Claims.class, "claims", long.class);
    private static final VarHandle TAIL = handle(Layout.Tail.class, "tail", Chunk.class);
    private static final VarHandle TAKEN = handle(Layout.Consumer.class, "taken", long.class);
    private static final VarHandle HEAD = handle(Layout.Consumer.class, "head", Chunk.class);
    private static final VarHandle SLEEPER = handle(Layout.Consumer.class, "sleeper", Thread.class);

    private static VarHandle handle(Class<?> owner, String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(owner, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static long ticketOf(long word) {
        return word & -STEP;
    }

    /** How many messages lie between two tickets: a shift, where a division would look at the sign. */
    static long messages(long difference) {
        return difference >> 2;
    }

    static boolean isWaiting(long word) {
        return (word & WAITING) != 0;
    }

    static boolean isClosed(long word) {
        return (word & CLOSED) != 0;
    }

    final long lvClaims() {
        return claims;
    }

    final long xaddClaims(long delta) {
        return (long) CLAIMS.getAndAdd(this, delta);
    }

    final boolean casClaims(long expected, long word) {
        return CLAIMS.compareAndSet(this, expected, word);
    }

    final long lvTaken() {
        return taken;
    }

    final void soTaken(long ticket) {
        TAKEN.setRelease(this, ticket);
    }

    final long xaddTaken(long delta) {
        return (long) TAKEN.getAndAdd(this, delta);
    }

    final boolean casTaken(long expected, long word) {
        return TAKEN.compareAndSet(this, expected, word);
    }

    final Chunk lvTail() {
        return tail;
    }

    /** Fails if somebody has moved it on; it never goes back. */
    final void casTail(Chunk from, Chunk to) {
        TAIL.compareAndSet(this, from, to);
    }

    final Chunk laHead() {
        return (Chunk) HEAD.getAcquire(this);
    }

    final void soHead(Chunk chunk) {
        HEAD.setRelease(this, chunk);
    }

    /** Opaque: ordered by the flag in {@code claims}, which is set after it and read before it. */
    final Thread loSleeper() {
        return (Thread) SLEEPER.getOpaque(this);
    }

    final void soSleeper(Thread thread) {
        SLEEPER.setOpaque(this, thread);
    }
}
