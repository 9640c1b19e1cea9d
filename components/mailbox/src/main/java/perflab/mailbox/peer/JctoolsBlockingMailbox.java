package perflab.mailbox.peer;

import java.util.Collection;
import org.jctools.queues.MpscBlockingConsumerArrayQueue;
import perflab.mailbox.BlockingQueueMailbox;

/**
 * Producers retry a compare-and-set, the consumer blocks: what JCTools itself offers for this purpose, a bounded array
 * whose consumer announces that it waits in the lowest bit of the producers' index.
 */
public final class JctoolsBlockingMailbox<E> extends BlockingQueueMailbox<E> {

    private final MpscBlockingConsumerArrayQueue<E> queue;

    /** The capacity of {@link perflab.mailbox.LinkedMailbox}, which the queue rounds up to a power of two. */
    public JctoolsBlockingMailbox() {
        this(10_000);
    }

    public JctoolsBlockingMailbox(int capacity) {
        queue = new MpscBlockingConsumerArrayQueue<>(capacity);
    }

    @Override
    protected MpscBlockingConsumerArrayQueue<E> queue() {
        return queue;
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        return queue.drain(sink::add, max);
    }

    @Override
    public int capacity() {
        return queue.capacity();
    }
}
