package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The adapter against JMH run by hand: the same figure within the noise band. Rounds alternate between the two, since a
 * shared machine drifts; the band is what two runs of JMH by hand differ by, and never below a tenth.
 */
@Tag("slow")
class JmhAgreementTest {

    private static final int ROUNDS = 5;
    private static final double LEAST_BAND = 0.10;

    @Test
    void theAdapterGivesTheFigureOfJmhByHand() throws Exception {
        List<Double> byHand = new ArrayList<>();
        List<Double> adapted = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            byHand.add(byHand());
            adapted.add(adapted());
        }
        double ratio = median(adapted) / median(byHand);
        double band = Math.max(LEAST_BAND, spread(byHand) / median(byHand));
        assertTrue(Math.abs(ratio - 1) < band, "adapter " + adapted + ", JMH by hand " + byHand);
    }

    private static double byHand() throws Exception {
        System.setProperty("jmh.ignoreLock", "true");
        return new Runner(new OptionsBuilder()
                        .include("^perflab\\.bench\\.SummingBenchmark\\.sum$")
                        .param("length", "1000")
                        .forks(1)
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(300))
                        .measurementIterations(5)
                        .measurementTime(TimeValue.milliseconds(200))
                        .timeUnit(TimeUnit.NANOSECONDS)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle()
                .getPrimaryResult()
                .getScore();
    }

    private static double adapted() throws Exception {
        Fixture fixture = new Fixture();
        fixture.run("run --scenario summing --variant three --warmup-ms 300 --sample-ms 200 --samples 5".split(" "));
        Map<String, Object> end = fixture.last();
        return ((Number) end.get("ns")).doubleValue() / ((Number) end.get("ops")).doubleValue();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static double spread(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.getLast() - sorted.getFirst();
    }
}
