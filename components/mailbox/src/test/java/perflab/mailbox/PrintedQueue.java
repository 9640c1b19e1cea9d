package perflab.mailbox;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A queue with the offer that the report prints as JCTools' MPSC offer: read the index, store the element if the slot is
 * free, advance the index by an ordered store. That is a single producer's algorithm.
 */
class PrintedQueue<E> {

    private final AtomicReferenceArray<E> slots = new AtomicReferenceArray<>(128);
    private final AtomicLong producerIndex = new AtomicLong();

    boolean offer(E message) {
        long index = producerIndex.get();
        int slot = (int) index;
        boolean free = slots.get(slot) == null;
        betweenCheckAndStore();
        if (!free) {
            return false;
        }
        slots.lazySet(slot, message);
        producerIndex.lazySet(index + 1);
        return true;
    }

    /** Where another producer can come in between. */
    void betweenCheckAndStore() {}

    long produced() {
        return producerIndex.get();
    }

    E at(int slot) {
        return slots.get(slot);
    }
}
