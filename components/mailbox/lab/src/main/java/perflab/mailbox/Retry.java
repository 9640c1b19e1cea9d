package perflab.mailbox;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waiting for room by asking again: for mailboxes whose consumer does not say when it has made some. The pauses double, so
 * that a short shortage costs little time and a long one little processor.
 */
public final class Retry {

    private static final long SHORTEST_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private Retry() {}

    /**
     * Offers until that succeeds or the time is over.
     *
     * @param offer one offer that does not wait; returns whether it was accepted
     * @param timeoutNs how long to wait at most; zero or less makes one offer
     * @return whether an offer was accepted
     * @throws InterruptedException if the thread was interrupted while it waited; then none was
     */
    public static boolean offer(BooleanSupplier offer, long timeoutNs) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutNs;
        long pause = SHORTEST_PAUSE_NS;
        while (!offer.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            // parks, because virtual threads that only yield can keep the consumer from being mounted
            LockSupport.parkNanos(offer, Math.min(pause, left));
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            pause = Math.min(LONGEST_PAUSE_NS, 2 * pause);
        }
        return true;
    }
}
