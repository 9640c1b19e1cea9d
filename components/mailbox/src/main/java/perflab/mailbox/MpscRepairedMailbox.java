package perflab.mailbox;

import java.lang.invoke.VarHandle;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Producers retry a compare-and-set, the consumer parks: the queue of {@link MpscPublishedMailbox} with the wake-up of
 * {@link ParkingMailbox}, and nothing else changed.
 *
 * <p><b>Progress.</b> An offer retries only if another producer's succeeded; at the end of a chunk the producers wait for
 * the one that links the next. A receive spins on a slot that a producer has claimed and not yet filled.
 *
 * <p><b>Why the explicit fence.</b> JCTools claims a slot by compare-and-set, which is a full fence, and it looks as if that
 * would do for P1. It does not when a chunk is full: there the producer publishes its index by an ordered store, which a later read
 * may pass.
 *
 * <pre>
 *   [P]  the chunk is full: index made odd ("resizing"), the next chunk linked
 *   [C]  empties the old chunk meanwhile
 *   [P]  the index + 2 stays in the store buffer; waiter == null: nobody to wake
 *   [C]  waiter = C; fence; poll() sees the odd index, which counts as empty: park
 * </pre>
 */
public final class MpscRepairedMailbox<E> extends ParkingMailbox<E> {

    private final MpscUnboundedArrayQueue<E> queue;

    public MpscRepairedMailbox() {
        this(MpscPublishedMailbox.CHUNK_SIZE);
    }

    /** With chunks so small that a stress test meets their ends often. */
    MpscRepairedMailbox(int chunkSize) {
        queue = new MpscUnboundedArrayQueue<>(chunkSize);
    }

    @Override
    public boolean offer(E message) {
        queue.offer(message);
        VarHandle.fullFence(); // pairs with the fence in ParkingMailbox.announce()
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
