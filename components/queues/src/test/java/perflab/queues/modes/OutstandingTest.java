package perflab.queues.modes;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** The soft limit and the hard one. */
class OutstandingTest {

    @Test
    void aWordForEachScoredOneIsNoOverrun() {
        Outstanding outstanding = new Outstanding(2, 1);
        outstanding.give();
        for (int i = 0; i < 100; i++) {
            outstanding.give();
            outstanding.scored();
        }
        assertEquals(0, outstanding.overruns());
    }

    @Test
    void whatIsGivenAboveTheSoftLimitIsAnOverrun() {
        Outstanding outstanding = new Outstanding(2, 1);
        for (int i = 0; i < 5; i++) {
            outstanding.give();
        }
        assertEquals(3, outstanding.overruns());
    }

    @Test
    void theFirstOverrunBeyondTheHardLimitEndsTheRun() {
        Outstanding outstanding = new Outstanding(1, 1);
        for (int i = 0; i <= Outstanding.HARD_LIMIT; i++) {
            outstanding.give();
        }
        assertDoesNotThrow(outstanding::requireWithinLimit);
        assertThrows(HardLimitException.class, outstanding::give);
        assertThrows(HardLimitException.class, outstanding::requireWithinLimit);
    }

    @Test
    void withoutSleepThereIsNoLimit() {
        Outstanding outstanding = new Outstanding(1, 0);
        for (int i = 0; i < 100_000; i++) {
            outstanding.give();
        }
        assertEquals(0, outstanding.overruns());
    }
}
