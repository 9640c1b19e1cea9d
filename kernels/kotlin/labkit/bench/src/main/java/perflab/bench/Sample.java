package perflab.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** One measurement in the making: operations, their time, latencies and counters. Used by one thread. */
public final class Sample {

    /** Latencies above this are recorded as this; an hour in nanoseconds. */
    private static final long LONGEST_LATENCY_NS = 3_600_000_000_000L;

    private static final int SIGNIFICANT_DIGITS = 3;

    private static final Map<String, Double> PERCENTILES = percentiles();

    private final Histogram latencies = new Histogram(LONGEST_LATENCY_NS, SIGNIFICANT_DIGITS);
    private final Map<String, Long> counters = new TreeMap<>();
    private double ops;
    private long ns;

    private static Map<String, Double> percentiles() {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        for (String percentile : new String[] {"0", "50", "75", "90", "95", "99", "99.9", "99.99"}) {
            percentiles.put("p" + percentile, Double.valueOf(percentile));
        }
        percentiles.put("max", 100.0);
        return percentiles;
    }

    /**
     * Adds a timed region.
     *
     * @param operations how many operations it held, above zero
     * @param nanoseconds how long it took, above zero
     */
    public void add(double operations, long nanoseconds) {
        if (!(operations > 0) || nanoseconds <= 0) {
            throw new IllegalArgumentException(operations + " operations in " + nanoseconds + " ns");
        }
        ops += operations;
        ns += nanoseconds;
    }

    /** Records one latency in nanoseconds. */
    public void latency(long nanoseconds) {
        latencies.recordValue(Math.clamp(nanoseconds, 0, LONGEST_LATENCY_NS));
    }

    /** Adds to a counter. A counter that stays at zero appears too once zero was added. */
    public void count(String counter, long amount) {
        counters.merge(counter, amount, Long::sum);
    }

    double ops() {
        return ops;
    }

    long ns() {
        return ns;
    }

    Map<String, Object> toJson(int index) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "sample");
        line.put("i", index);
        line.put("ops", ProtocolWriter.shortest(ops));
        line.put("ns", ns);
        if (latencies.getTotalCount() > 0) {
            Map<String, Long> percentiles = new LinkedHashMap<>();
            PERCENTILES.forEach((name, rank) -> percentiles.put(name, latencies.getValueAtPercentile(rank)));
            line.put("percentiles", percentiles);
        }
        if (!counters.isEmpty()) {
            line.put("counters", counters);
        }
        return line;
    }
}
