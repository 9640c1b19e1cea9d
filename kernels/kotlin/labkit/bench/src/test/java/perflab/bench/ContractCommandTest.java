package perflab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ContractCommandTest {

    private final Fixture fixture = new Fixture();

    @Test
    void aVariantThatKeepsTheContractPasses() throws IOException {
        assertEquals(0, fixture.run("contract", "--variant", "four"));
        assertEquals(List.of("check", "check", "end"), fixture.types());
        assertEquals(Map.of("type", "end", "checks", 2, "failed", 0), fixture.last());
    }

    @Test
    void aBrokenStatementIsNamedWithItsEvidence() throws IOException {
        assertEquals(4, fixture.run("contract", "--variant", "three"));
        assertEquals(
                Map.of("type", "check", "variant", "three", "name", "is even", "passed", false, "message", "3 is odd"),
                fixture.lines.get(1));
        assertEquals(Map.of("type", "end", "checks", 2, "failed", 1), fixture.last());
    }

    @Test
    void thereMustBeSomethingToCheck() throws IOException {
        assertEquals(2, fixture.run("contract"));
    }

    @Test
    void aCheckThatHangsIsLeftBehind() {
        Check<Integer> hangs = new Check<>("hangs", number -> new CountDownLatch(1).await());
        AssertionError error = assertThrows(AssertionError.class, () -> hangs.run(1, 20));
        assertEquals("did not end within 20 ms", error.getMessage());
    }
}
