package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The sampling loop; a repetition of the fixture takes one second by its own account. */
class RunTest {

    private final Fixture fixture = new Fixture();

    private void run(String more) throws IOException {
        assertEquals(0, fixture.run(("run --scenario counting --variant three " + more).split(" ")), fixture.text);
    }

    @Test
    void aSampleIsRepeatedUntilItHasLastedLongEnough() throws IOException {
        run("--warmup-ms 0 --sample-ms 4000 --samples 2 --param step=3");
        assertEquals(List.of("start", "sample", "sample", "end"), fixture.types());
        assertEquals(8, fixture.counting.repetitions);
        assertEquals(12, fixture.lines.get(1).get("ops"));
        assertEquals(4_000_000_000L, fixture.lines.get(1).get("ns"));
        assertEquals(0, fixture.lines.get(1).get("i"));
        assertEquals(1, fixture.lines.get(2).get("i"));
    }

    @Test
    void aSampleEndsByTheWallClockIfItsOwnCoversLittle() throws IOException {
        run("--warmup-ms 0 --sample-ms 1 --samples 1 --param mode=idle");
        assertEquals(1, fixture.counting.repetitions);
    }

    @Test
    void warmUpLeavesNoTraceInTheSamples() throws IOException {
        run("--warmup-ms 5000 --sample-ms 1 --samples 1");
        assertEquals(6, fixture.counting.repetitions);
        assertEquals(1, fixture.last().get("ops"));
    }

    @Test
    void theStartLineHoldsAllParametersWithTheirDefaults() throws IOException {
        run("--warmup-ms 0 --sample-ms 1 --samples 1 --seed 42 --param step=2");
        assertEquals(
                Map.of("step", 2, "ratio", 0.5, "fail", false, "mode", "plain"),
                fixture.lines.getFirst().get("params"));
        assertEquals(42, fixture.lines.getFirst().get("seed"));
    }

    @Test
    void theEndLineAddsUpTheSamplesAndNamesTheChecks() throws IOException {
        run("--warmup-ms 3000 --sample-ms 2000 --samples 5");
        assertEquals(5, fixture.last().get("samples"));
        assertEquals(10, fixture.last().get("ops"));
        assertEquals(10_000_000_000L, fixture.last().get("ns"));
        assertEquals(
                Map.of("passed", true, "checks", List.of("counts are right")),
                fixture.last().get("validation"));
    }

    @Test
    void latenciesAndCountersAreTotalsOfTheirSample() throws IOException {
        run("--warmup-ms 0 --sample-ms 3000 --samples 2");
        Map<?, ?> percentiles = (Map<?, ?>) fixture.lines.get(2).get("percentiles");
        assertEquals(
                List.of("p0", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max"),
                List.copyOf(percentiles.keySet()));
        assertTrue(Math.abs((Integer) percentiles.get("p50") - 1_000) <= 1, percentiles.toString());
        assertEquals(Map.of("odd", 3), fixture.lines.get(2).get("counters"));
    }

    @Test
    void oneSeedGivesTheSameNumbersAndAnotherSeedOthers() throws IOException {
        for (String seed : List.of("7", "7", "8")) {
            run("--warmup-ms 0 --sample-ms 1 --samples 1 --seed " + seed);
        }
        List<Long> drawn = fixture.counting.seeds;
        assertEquals(drawn.get(0), drawn.get(1));
        assertTrue(!drawn.get(0).equals(drawn.get(2)), drawn.toString());
    }
}
