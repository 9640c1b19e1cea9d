package perflab.mailbox;

import org.jctools.queues.MpscUnboundedXaddArrayQueue;

/**
 * Producers are wait-free but for the end of a chunk, the consumer parks: JCTools' {@link MpscUnboundedXaddArrayQueue}, which
 * claims a slot by one fetch-and-add, with the wake-up of {@link ParkingMailbox}.
 *
 * <p><b>Progress.</b> An offer never retries; one that lands beyond the last chunk waits for the producer that links it.
 * A receive spins on a slot that a producer has claimed and not yet filled.
 *
 * <p><b>Why there is no explicit fence.</b> The fetch-and-add is the only write that publishes an index, at the end of a
 * chunk too, and poll() returns null only if the index it reads equals its own: otherwise it waits for the element. So the
 * fetch-and-add is P1, it and the read of the waiter are both volatile accesses, and those of all threads have one total
 * order (JLS 17.4.4): a read of the waiter that came before C1 puts its fetch-and-add before C2.
 *
 * <p>Two emptied chunks are kept for reuse, so that a queue in balance allocates nothing.
 *
 * @param <E> the type of the messages
 */
public final class MpscXaddMailbox<E> extends ParkingMailbox<E> {

    private static final int CHUNK_SIZE = 1024;
    private static final int POOLED_CHUNKS = 2;

    private final MpscUnboundedXaddArrayQueue<E> queue;

    public MpscXaddMailbox() {
        this(CHUNK_SIZE);
    }

    /** With chunks so small that a stress test meets their ends often. */
    MpscXaddMailbox(int chunkSize) {
        queue = new MpscUnboundedXaddArrayQueue<>(chunkSize, POOLED_CHUNKS);
    }

    @Override
    public boolean offer(E message) {
        queue.offer(message);
        wakeConsumer();
        return true;
    }

    @Override
    E next() {
        return queue.poll();
    }

    @Override
    public int size() {
        return queue.size();
    }
}
