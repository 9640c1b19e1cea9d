package perflab.mailbox.lab;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The producers that wait for room in a {@link BoundedMailbox}; W3 and R2 of its protocol. */
final class WaitingProducers {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    /**
     * Waits until an offer is settled.
     *
     * @param offer tries; true if it is not to be tried again
     * @param announce makes the consumer call {@link #signal} the next time it makes room; false if it may have made some
     */
    void await(BooleanSupplier offer, BooleanSupplier announce, long timeoutNs) throws InterruptedException {
        long left = timeoutNs;
        lock.lockInterruptibly();
        try {
            while (!offer.getAsBoolean()) {
                if (left <= 0) {
                    return;
                }
                if (announce.getAsBoolean()) {
                    left = room.awaitNanos(left);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all producers; what they announced stays until the consumer finds that nobody waits. */
    void signalAll() {
        lock.lock();
        try {
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wakes a producer for each place in the mailbox.
     *
     * @param retract takes back the announcement; called if none is left to wake
     */
    void signal(int places, Runnable retract) {
        lock.lock();
        try {
            for (int i = 0; i < places && lock.hasWaiters(room); i++) {
                room.signal();
            }
            if (!lock.hasWaiters(room)) {
                retract.run();
            }
        } finally {
            lock.unlock();
        }
    }
}
