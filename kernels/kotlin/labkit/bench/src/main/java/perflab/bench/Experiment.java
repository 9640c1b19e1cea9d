package perflab.bench;

/** A set-up scenario. Warm-up and samples repeat it; closing it makes the checks that can only be made at the end. */
public interface Experiment extends AutoCloseable {

    /**
     * Performs the scenario once, times it with its own clock, records the outcome, and validates it outside the timed
     * region.
     *
     * @param sample where the operations, their time, latencies and counters go; no I/O may happen before it is handed back
     */
    void repeat(Sample sample) throws Exception;

    @Override
    void close();
}
