package perflab.mailbox.peer;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jctools.queues.MpscBlockingConsumerArrayQueue;
import perflab.mailbox.Mailbox;

/**
 * Producers retry a compare-and-set, the consumer blocks: what JCTools itself offers for this purpose, a bounded array
 * whose consumer announces that it waits in the lowest bit of the producers' index.
 *
 * @param <E> the type of the messages
 */
public final class JctoolsBlockingMailbox<E> implements Mailbox<E> {

    private final MpscBlockingConsumerArrayQueue<E> queue;

    /** The capacity of {@link perflab.mailbox.LinkedMailbox}, which the queue rounds up to a power of two. */
    public JctoolsBlockingMailbox() {
        this(10_000);
    }

    public JctoolsBlockingMailbox(int capacity) {
        queue = new MpscBlockingConsumerArrayQueue<>(capacity);
    }

    @Override
    public boolean offer(E message) {
        return queue.offer(message);
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        return queue.poll(timeout, unit);
    }

    @Override
    public E take() throws InterruptedException {
        return queue.take();
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        return queue.drain(sink::add, max);
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public int capacity() {
        return queue.capacity();
    }
}
