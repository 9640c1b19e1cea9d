package perflab.mailbox;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Waiting for room by asking again: for mailboxes whose consumer does not say when it has made some. The pauses double, so
 * that a short shortage costs little time and a long one little processor.
 */
final class Retry {

    private static final long SHORTEST_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private Retry() {}

    static <E> boolean offer(Mailbox<E> mailbox, E message, long timeoutNs) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutNs;
        long pause = SHORTEST_PAUSE_NS;
        while (!mailbox.offer(message)) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            // parks, because virtual threads that only yield can keep the consumer from being mounted
            LockSupport.parkNanos(mailbox, Math.min(pause, left));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            pause = Math.min(LONGEST_PAUSE_NS, 2 * pause);
        }
        return true;
    }
}
