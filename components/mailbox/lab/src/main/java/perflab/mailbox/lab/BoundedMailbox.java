package perflab.mailbox.lab;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The mailbox with a bound: producers retry a compare-and-set and can wait for room; the consumer waits as its
 * {@link WaitStrategy} says. For actors that must not be flooded.
 *
 * <p><b>Progress.</b> An offer is lock-free: it retries only if another claim succeeded, or the consumer has set or cleared its flag in
 * the same word meanwhile, which a receive does once each at most. A timed offer that finds no room blocks by design, and
 * then, to wake it, the consumer takes a lock. A receive waits for a slot that is claimed and not yet filled.
 *
 * <p><b>The bound</b> is exact. A claim at ticket t succeeds only if t is below {@code taken} + capacity for some value that
 * {@code taken} has had; it never goes back, so at no time more than the capacity are claimed and not received. Nor is
 * an offer refused for want of a look, but while a {@link #drain} has yet to release: before it refuses it reads {@code taken} anew. {@code limit} only remembers the
 * last look; a slow producer may set it back, which costs the next one a look.
 *
 * <p><b>Waiting for room</b> is the protocol of {@link ChunkedMailbox} the other way round: to announce a waiting producer and to
 * receive a message are updates of one word, {@code taken}.
 *
 * <pre>
 *   [P] in the lock                                          [C]
 *   W1 no room by taken's ticket r and claims                R1 fetch-and-add of taken: room, and the flag
 *   W2 taken: compare-and-set from r to r | WAITING,         R2 if the flag: takes the lock, signals one producer for
 *      unless the flag is there already                         each message, and takes the flag back if none is left
 *   W3 waits (and so leaves the lock), goes to W1
 * </pre>
 *
 * <p><b>Why no producer is forgotten.</b> If R1 comes before W2, W2 fails and the producer looks again. If it comes after, it finds
 * the flag, which is taken back only in the lock and only when nobody waits; and R2 gets the lock only when the
 * producer waits. A producer that is signalled and at the same time times out or is interrupted tries its offer once more before it
 * gives up, so the room it was signalled for is not left lying. An offer that comes by may take that room; then the
 * producer announces itself again. Nothing is promised about who gets the room first.
 *
 * <p><b>Memory.</b> As {@link UnboundedMailbox}: the slots are made as they are needed, not for the whole capacity.
 *
 * @param <E> the type of the messages
 */
public final class BoundedMailbox<E> extends ChunkedMailbox<E> {

    private final int capacity;
    private final WaitingProducers waiting = new WaitingProducers();

    /**
     * Creates an empty mailbox.
     *
     * @param capacity how many messages it holds, exactly; at least one
     */
    public BoundedMailbox(int capacity) {
        this(capacity, WaitStrategy.ADAPTIVE);
    }

    /**
     * Creates an empty mailbox.
     *
     * @param capacity how many messages it holds, exactly; at least one
     * @param strategy what the consumer does while there is nothing to receive
     */
    public BoundedMailbox(int capacity, WaitStrategy strategy) {
        this(0, capacity, LARGEST_CHUNK, strategy);
    }

    BoundedMailbox(long start, int capacity, int largestChunk) {
        this(start, capacity, largestChunk, WaitStrategy.ADAPTIVE);
    }

    private BoundedMailbox(long start, int capacity, int largestChunk, WaitStrategy strategy) {
        super(start, largestChunk, strategy);
        if (capacity < 1) {
            throw new IllegalArgumentException("a mailbox of capacity " + capacity);
        }
        this.capacity = capacity;
        limit = start + STEP * capacity;
    }

    @Override
    public boolean offer(E message) {
        Objects.requireNonNull(message);
        while (true) {
            Chunk from = lvTail(); // P0, before the claim
            long word = lvClaims();
            if (isClosed(word) || !hasRoom(ticketOf(word))) {
                return false;
            }
            if (casClaims(word, word + STEP)) {
                deliver(from, word, message);
                return true;
            }
        }
    }

    @Override
    public boolean offer(E message, long timeout, TimeUnit unit) throws InterruptedException {
        if (offer(message)) {
            return true;
        }
        if (timeout <= 0) {
            return false;
        }
        var last = new Object() {
            private boolean accepted;
        };
        waiting.await(
                () -> (last.accepted = offer(message)) || isClosed(), this::announceProducer, unit.toNanos(timeout));
        return last.accepted;
    }

    @Override
    void refuseWaiting() {
        waiting.signalAll();
    }

    private boolean hasRoom(long ticket) {
        if (messages(limit - ticket) > 0) {
            return true;
        }
        long fresh = ticketOf(lvTaken()) + STEP * capacity;
        limit = fresh;
        return messages(fresh - ticket) > 0;
    }

    /** W1 and W2; false if there may be room. The tests stop after it. */
    final boolean announceProducer() {
        long word = lvTaken();
        boolean full = ticketOf(lvClaims()) - ticketOf(word) >= STEP * capacity;
        return full && (isWaiting(word) || casTaken(word, word | WAITING));
    }

    /** R1 and R2. */
    @Override
    void release(int count) {
        if (isWaiting(xaddTaken(STEP * count))) {
            waiting.signal(count, () -> xaddTaken(-WAITING));
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }
}
