package perflab.mailbox;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Producers retry a compare-and-set, the consumer blocks: Cajun's MpscMailbox as published, JCTools'
 * {@link MpscUnboundedArrayQueue} with a lock and a condition to wait on.
 *
 * <p><b>Weakened contract.</b> The wake-up is lost. A producer signals only if the lock has queued threads, to spare itself
 * the lock; but a thread that waits on a condition is not queued at the lock.
 *
 * <pre>
 *   [C]  take(): takes the lock, the queue is empty, awaits the condition (and so leaves the lock)
 *   [P]  offer: enqueues; lock.hasQueuedThreads() is false; no signal
 *   [C]  waits on, with a message in the queue, until its timeout ends; in take(), for ever
 * </pre>
 *
 * <p>This is no rare interleaving but the only one there is once the consumer waits. It is also how a poll timeout of 1 ms
 * came to look like an improvement: it bounds what the lost wake-up costs. The signal only happens when a producer meets
 * the consumer in the few instructions in which it tries for the lock.
 */
public final class MpscPublishedMailbox<E> implements Mailbox<E> {

    /** Slots per chunk; all chunks of the queue have this length. */
    static final int CHUNK_SIZE = 128;

    private final MpscUnboundedArrayQueue<E> queue = new MpscUnboundedArrayQueue<>(CHUNK_SIZE);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();

    @Override
    public boolean offer(E message) {
        queue.offer(message);
        if (lock.hasQueuedThreads()) {
            lock.lock();
            try {
                notEmpty.signal();
            } finally {
                lock.unlock();
            }
        }
        return true;
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E message = queue.poll();
        if (message != null || timeout <= 0) {
            return message;
        }
        long nanos = unit.toNanos(timeout);
        lock.lock();
        try {
            while ((message = queue.poll()) == null && nanos > 0) {
                nanos = notEmpty.awaitNanos(nanos);
            }
            return message;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public E take() throws InterruptedException {
        E message = queue.poll();
        if (message != null) {
            return message;
        }
        lock.lock();
        try {
            while ((message = queue.poll()) == null) {
                notEmpty.await();
            }
            return message;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        int moved = 0;
        for (E message; moved < max && (message = queue.poll()) != null; moved++) {
            sink.add(message);
        }
        return moved;
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public int capacity() {
        return Integer.MAX_VALUE;
    }
}
