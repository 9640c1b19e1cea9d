package perflab.mailbox;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Blocking on both sides: a {@link LinkedBlockingQueue}, the default mailbox of Cajun after the report.
 *
 * <p>Producers share {@code putLock}, the consumer has {@code takeLock}; a producer that finds the queue empty takes both,
 * one after the other. Each message costs a node.
 */
public final class LinkedMailbox<E> extends BlockingQueueMailbox<E> {

    private final LinkedBlockingQueue<E> queue;
    private final int capacity;

    public LinkedMailbox() {
        this(10_000);
    }

    public LinkedMailbox(int capacity) {
        this.capacity = capacity;
        this.queue = new LinkedBlockingQueue<>(capacity);
    }

    @Override
    public boolean offer(E message, long timeout, TimeUnit unit) throws InterruptedException {
        return queue.offer(message, timeout, unit);
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    protected LinkedBlockingQueue<E> queue() {
        return queue;
    }
}
