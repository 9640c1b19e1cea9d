package perflab.queues.lab;

/**
 * How many workers it takes on a machine that is not empty: <b>more than were asked for</b>.
 *
 * <p>A scheduler divides the processors by threads. A worker that scores all the time and was on a processor for a third of it shares
 * with two others; with half as many workers again as there are of those, the workers get three fifths of the machine as long as
 * all of them have work, and a run takes less than twice its time. What the workers gain so the others lose: it is taken, not saved.
 *
 * <pre>
 *   n processors, n workers asked for    background   workers   their share   the share of n workers
 *   idle                                          0         n   all           all
 *   as many others                                n    1.5 * n   3/5           1/2
 *   twice as many                               2 * n     3 * n   3/5           1/3
 *   at the most                             from 8/3 n     4 * n   3/5 or less   3/11 or less
 * </pre>
 *
 * <p>No other pipeline here does that: who compares one with this on a busy machine compares numbers of threads, too.
 *
 * <p>What it knows it has from the last runs, so a machine that has just become busy is noticed a few runs later. Used by one thread.
 */
final class Crowd {

    static final int MOST_PER_WORKER = 4;

    private static final double WEIGHT_OF_LAST = 0.25;
    private static final double AHEAD = 1.5;

    /** Below it a worker was kept waiting by others; above, by an interrupt or the lock of the result. */
    private static final double ALONE = 0.8;

    private final int processors;
    private double others;

    Crowd(int processors) {
        this.processors = processors;
    }

    /** How many workers the next run should have, where so many are asked for. */
    int workers(int asked) {
        return (int) Math.clamp(Math.round(AHEAD * others), asked, (long) MOST_PER_WORKER * asked);
    }

    /**
     * Learns from a run.
     *
     * @param workers how many there were
     * @param cpuNs how long all of them were on a processor
     * @param wantedNs how long all of them had something to do
     */
    void learn(int workers, long cpuNs, long wantedNs) {
        double share = Math.min(1, (double) cpuNs / Math.max(1, wantedNs));
        double expected = Math.min(1, (double) processors / workers);
        double seen = share < ALONE * expected ? processors / share - workers : 0;
        others += WEIGHT_OF_LAST * (seen - others);
    }
}
