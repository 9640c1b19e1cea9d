package perflab.queues.modes;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Words that the source has given and that are not scored yet: the memory that they would take. Read and written by all threads,
 * as upstream does, so it costs every pipeline the same.
 *
 * <p>A source that finds the soft limit reached yields a number of times, then sleeps a millisecond, and then gives the word all
 * the same: an overrun. After more than {@link #HARD_LIMIT} of them the run is void.
 */
final class Outstanding {

    /** Overruns in one run; upstream ends the process beyond it. */
    static final int HARD_LIMIT = 1_000;

    private static final int SLEEP_MS = 1;

    private final AtomicInteger words = new AtomicInteger();
    private final int softLimit;
    private final int yields;
    private volatile int overruns;

    /**
     * Creates an account of no words.
     *
     * @param softLimit from how many words on the source waits
     * @param yields how often it yields before it sleeps; 0: nothing is counted, and nothing limited
     */
    Outstanding(int softLimit, int yields) {
        this.softLimit = softLimit;
        this.yields = yields;
    }

    void give() {
        if (yields == 0) {
            return;
        }
        if (isFull() && !yieldForRoom() && !sleepForRoom()) {
            overruns = overruns + 1; // by one thread at a time: that which reads the source
            requireWithinLimit();
        }
        words.incrementAndGet();
    }

    void scored() {
        if (yields != 0) {
            words.decrementAndGet();
        }
    }

    private boolean isFull() {
        return words.get() >= softLimit;
    }

    private boolean yieldForRoom() {
        for (int i = 0; i < yields; i++) {
            Thread.yield();
            if (!isFull()) {
                return true;
            }
        }
        return false;
    }

    private boolean sleepForRoom() {
        Pause.sleep(SLEEP_MS);
        return !isFull();
    }

    /**
     * Ends a run that is void.
     *
     * @throws HardLimitException if there were too many overruns
     */
    void requireWithinLimit() {
        if (overruns > HARD_LIMIT) {
            throw new HardLimitException(softLimit, HARD_LIMIT);
        }
    }

    int overruns() {
        return overruns;
    }
}
