package perflab.mailbox.lab;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Producers are wait-free, the consumer waits as its {@link WaitStrategy} says. For actors that must never refuse.
 *
 * <p><b>Progress.</b> An offer is one fetch-and-add and one store; a batch of any size has one fetch-and-add for all its messages.
 * Neither retries or waits, whatever other threads do. A receive waits for a slot that is claimed and not yet filled.
 *
 * <p><b>Memory.</b> An empty mailbox that was never used takes about half a kilobyte, one that was, a chunk of 1024 slots, and a
 * backlog, 4 bytes per message. A message received is not held on to.
 *
 * <p>The proof is in {@link ChunkedMailbox}. {@code taken} is written by an ordered store: its flag is never set here, and its
 * one reader that counts, P4, reads it after the flag in {@code claims}, which the consumer set after it.
 *
 * @param <E> the type of the messages
 */
public final class UnboundedMailbox<E> extends ChunkedMailbox<E> {

    /** Creates an empty mailbox whose consumer spins as long as that pays off. */
    public UnboundedMailbox() {
        this(WaitStrategy.ADAPTIVE);
    }

    /**
     * Creates an empty mailbox.
     *
     * @param strategy what the consumer does while there is nothing to receive
     */
    public UnboundedMailbox(WaitStrategy strategy) {
        this(0, LARGEST_CHUNK, strategy);
    }

    UnboundedMailbox(long start, int largestChunk) {
        this(start, largestChunk, WaitStrategy.ADAPTIVE);
    }

    UnboundedMailbox(long start, int largestChunk, WaitStrategy strategy) {
        super(start, largestChunk, strategy);
    }

    @Override
    public boolean offer(E message) {
        Objects.requireNonNull(message);
        Chunk from = lvTail(); // P0, before the claim
        long word = xaddClaims(STEP);
        if (isClosed(word)) {
            return false;
        }
        deliver(from, word, message);
        return true;
    }

    /** As there is always room, it never waits. */
    @Override
    public boolean offer(E message, long timeout, TimeUnit unit) {
        return offer(message);
    }

    @Override
    public int offerAll(List<? extends E> messages) {
        Object[] batch = snapshot(messages);
        if (batch.length > 0) {
            Chunk from = lvTail(); // P0, before the claim
            long word = xaddClaims(STEP * batch.length);
            if (isClosed(word)) {
                return 0;
            }
            deliver(from, word, batch, batch.length);
        }
        return batch.length;
    }

    @Override
    void refuseWaiting() {
        // nobody waits for room
    }

    @Override
    void release(int count) {
        soTaken(lvTaken() + STEP * count);
    }

    @Override
    public int capacity() {
        return Integer.MAX_VALUE;
    }
}
