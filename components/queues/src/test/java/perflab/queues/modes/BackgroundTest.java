package perflab.queues.modes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The other load: as many threads as were asked for, which compute until they are told to stop, and whose account is kept. */
class BackgroundTest {

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("background-"))
                .count();
    }

    @Test
    void itComputesFromTheStartUntilItIsClosed() {
        try (Background background = Background.start(3)) {
            assertEquals(3, threads());
            long before = background.cpuNs();
            while (background.cpuNs() == before) {
                Thread.onSpinWait();
            }
        }
        assertEquals(0, threads());
    }

    @Test
    void whereNoneIsAskedForThereIsNone() {
        try (Background background = Background.start(0)) {
            assertEquals(0, threads());
            assertEquals(0, background.cpuNs());
        }
    }

    @Test
    void aGameHasAsManyForEachProcessorAsItsKnobSays() {
        int processors = Runtime.getRuntime().availableProcessors();
        Values values = Values.of(Mode.FAST.defaults()).with(Knob.WORDS, 10L);
        for (long perProcessor = 0; perProcessor <= 2; perProcessor++) {
            try (Game busy = new Game(values.with(Knob.BACKGROUND, perProcessor))) {
                assertEquals(processors * perProcessor, threads());
                assertTrue(busy.words() > 0);
            }
        }
    }
}
