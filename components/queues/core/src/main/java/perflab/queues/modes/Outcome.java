package perflab.queues.modes;

import java.util.LinkedHashMap;
import java.util.Map;
import perflab.queues.scrabble.Results;

public final class Outcome {

    /**
     * Nanoseconds of CPU that went neither into burners nor into the background. Of one run it may be below zero, by the steps of
     * {@link Cpu}; only a sum over many runs is a figure, and only as long as none of them is rounded up to zero.
     */
    public static final String CPU = "cpu_ns";

    public static final String OTHERS = "others_ns";

    /** {@link Tally#fairnessPpm}: between threads, which are the workers only where each has one of its own. */
    public static final String FAIRNESS = "fairness_ppm";

    public static final String OVERRUNS = "overruns";

    private final long ns;
    private final long scored;
    private final Results results;
    private final Map<String, Long> counters = new LinkedHashMap<>();

    Outcome(long ns, long scored, Results results) {
        this.ns = ns;
        this.scored = scored;
        this.results = results;
    }

    Outcome count(String counter, long amount) {
        counters.put(counter, amount);
        return this;
    }

    public long ns() {
        return ns;
    }

    public long scored() {
        return scored;
    }

    public Results results() {
        return results;
    }

    public Map<String, Long> counters() {
        return counters;
    }
}
