package perflab.mailbox;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * A mailbox with the offer and the poll that the report prints as MpscMailbox's, made to compile: an offer that only
 * enqueues, and a poll that looks before each wait but not after the last one.
 */
final class PrintedMailbox<E> {

    private final MpscUnboundedArrayQueue<E> queue = new MpscUnboundedArrayQueue<>(128);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();

    boolean offer(E message) {
        return queue.offer(message);
    }

    E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E found = queue.poll();
        if (found != null) {
            return found;
        }
        long left = unit.toNanos(timeout); // in the report nothing declares it
        lock.lock();
        try {
            while (left > 0) {
                found = queue.poll();
                if (found != null) {
                    return found;
                }
                left = notEmpty.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
        return null;
    }

    int size() {
        return queue.size();
    }
}
