package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each test starts a JMH fork, so they are few and short. */
class JmhScenarioTest {

    private final Fixture fixture = new Fixture();

    private int run(String more) throws IOException {
        return fixture.run(("run --scenario summing --variant three --warmup-ms 10 --sample-ms 10 " + more).split(" "));
    }

    @Test
    void eachMeasuredIterationIsASample() throws IOException {
        assertEquals(0, run("--samples 3"), fixture.text);
        assertEquals(List.of("start", "sample", "sample", "sample", "end"), fixture.types());
        assertTrue(((Number) fixture.lines.get(1).get("ops")).longValue() > 1, fixture.text);
        assertEquals(
                Map.of("passed", true, "checks", List.of("sums are right")),
                fixture.last().get("validation"));
    }

    @Test
    void aValidationThatFailsInTheForkEndsTheRunWithStatusFour() throws IOException {
        assertEquals(4, run("--samples 1 --param wrong=true"), fixture.text);
        assertEquals(
                Map.of("type", "error", "kind", "validation", "message", "sums are right: they are not"),
                fixture.last());
    }
}
