package perflab.mailbox;

import java.util.Collection;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Blocking on both sides: a {@link LinkedBlockingQueue}, the default mailbox of Cajun after the report.
 *
 * <p>Producers share {@code putLock}, the consumer has {@code takeLock}; a producer that finds the queue empty takes both,
 * one after the other. Each message costs a node.
 *
 * @param <E> the type of the messages
 */
public final class LinkedMailbox<E> implements Mailbox<E> {

    private final LinkedBlockingQueue<E> queue;
    private final int capacity;

    /** The capacity that Cajun chose. */
    public LinkedMailbox() {
        this(10_000);
    }

    public LinkedMailbox(int capacity) {
        this.capacity = capacity;
        this.queue = new LinkedBlockingQueue<>(capacity);
    }

    @Override
    public boolean offer(E message) {
        return queue.offer(message);
    }

    @Override
    public boolean offer(E message, long timeout, TimeUnit unit) throws InterruptedException {
        return queue.offer(message, timeout, unit);
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
        return queue.drainTo(sink, max);
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** The queue inside, for tests that hold its locks. */
    LinkedBlockingQueue<E> currentQueue() {
        return queue;
    }
}
