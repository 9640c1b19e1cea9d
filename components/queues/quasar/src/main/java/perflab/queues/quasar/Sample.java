package perflab.queues.quasar;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import perflab.queues.modes.Outcome;

/** One measurement in the making: as many runs as fit into it. */
final class Sample {

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final double[] LADDER = {0, 50, 75, 90, 95, 99, 99.9, 99.99};

    private final Histogram times = new Histogram(SIGNIFICANT_DIGITS);
    private final Map<String, Long> counters = new TreeMap<>();
    private long runs;
    private long ns;

    void add(Outcome outcome) {
        runs++;
        ns += outcome.ns();
        times.recordValue(outcome.ns());
        outcome.counters().forEach((counter, amount) -> counters.merge(counter, amount, Long::sum));
    }

    long runs() {
        return runs;
    }

    long ns() {
        return ns;
    }

    Map<String, Object> toJson(int index) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "sample");
        line.put("i", index);
        line.put("ops", runs);
        line.put("ns", ns);
        Map<String, Long> percentiles = new LinkedHashMap<>();
        for (double rank : LADDER) {
            String name = rank == Math.rint(rank) ? "p" + (int) rank : "p" + rank;
            percentiles.put(name, times.getValueAtPercentile(rank));
        }
        percentiles.put("max", times.getMaxValue());
        line.put("percentiles", percentiles);
        line.put("counters", counters);
        return line;
    }
}
