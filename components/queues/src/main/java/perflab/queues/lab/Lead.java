package perflab.queues.lab;

import java.util.Iterator;
import java.util.concurrent.locks.ReentrantLock;

/** The right to read the source. */
final class Lead {

    /** A leader reads for microseconds: to look that often costs less than to be put to sleep and woken. */
    private static final int SPINS = 200;

    private final ReentrantLock lock = new ReentrantLock();
    private final Iterator<String> words;
    private volatile boolean ended;
    private Throwable failure;

    Lead(Iterator<String> words) {
        this.words = words;
    }

    /**
     * Waits for the lead.
     *
     * @return false if there is nothing left to read; then it was not taken
     */
    boolean take() {
        for (int i = 0; i < SPINS && !ended; i++) {
            if (!lock.isLocked() && lock.tryLock()) {
                return stillOpen();
            }
            Thread.onSpinWait();
        }
        if (ended) {
            return false;
        }
        lock.lock();
        return stillOpen();
    }

    private boolean stillOpen() {
        if (ended) {
            lock.unlock();
            return false;
        }
        return true;
    }

    /**
     * Reads a batch, by the leader.
     *
     * @return false if the source is at its end, or has failed
     */
    boolean read(Batch batch) {
        try {
            if (!batch.fill(words)) {
                ended = true;
            }
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            ended = true;
        }
        return !ended;
    }

    /** There is nothing left to read, or nobody is to read any more. */
    void end() {
        ended = true;
    }

    void handOn() {
        lock.unlock();
    }

    /** By the caller, when all workers have ended. */
    void rethrowFailure() {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }
}
