package perflab.mailbox.lab;

import java.util.concurrent.TimeUnit;

/**
 * For how long the consumer looks for a message before it parks, learned from what it met.
 *
 * <pre>
 *   slept, and not for long   the message would have come while spinning     doubled, from the smallest
 *   spun, and a message came  it goes on like that                           doubled
 *   spun in vain              it does not                                    halved, below the smallest: zero
 *   slept for long            spinning would not have helped                 as it is
 *   spun, and others waited   a virtual thread's spin takes their carrier    zero, and not enlarged for a while
 * </pre>
 *
 * <p>So a mailbox that gets a message now and then never spins, and needs no trial spins to find out when that changes: the
 * length of a sleep tells. The largest budget is about what a sleep and a wake-up cost, so that a wrong guess costs twice the
 * right one at most. One processor never spins: the producer could not run.
 *
 * <p>The consumer's alone.
 */
final class SpinBudget {

    /** A look at the clock costs about as much as a spin. */
    static final int SPINS_PER_LOOK_AT_THE_CLOCK = 8;

    private static final long SMALLEST_NS = TimeUnit.MICROSECONDS.toNanos(2);
    private static final long LARGEST_NS =
            Runtime.getRuntime().availableProcessors() > 1 ? TimeUnit.MICROSECONDS.toNanos(20) : 0;

    /** The largest budget and the time to be woken, which a sleep includes. */
    private static final long SHORT_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(100);

    /** A yield that takes longer had another virtual thread run in between. */
    static final long YIELD_TO_NOBODY_NS = TimeUnit.MICROSECONDS.toNanos(2);

    private static final int SLEEPS_WITHOUT_A_TRIAL = 64;

    private long budgetNs;
    private int sleepsToGo;

    long budgetNs() {
        return budgetNs;
    }

    void paidOff() {
        budgetNs = Math.min(LARGEST_NS, 2 * budgetNs);
    }

    void failed() {
        budgetNs = budgetNs > SMALLEST_NS ? budgetNs / 2 : 0;
    }

    void crowded() {
        budgetNs = 0;
        sleepsToGo = SLEEPS_WITHOUT_A_TRIAL;
    }

    void slept(long ns) {
        if (sleepsToGo > 0) {
            sleepsToGo--;
        } else if (ns < SHORT_SLEEP_NS) {
            budgetNs = Math.min(LARGEST_NS, Math.max(SMALLEST_NS, 2 * budgetNs));
        }
    }
}
