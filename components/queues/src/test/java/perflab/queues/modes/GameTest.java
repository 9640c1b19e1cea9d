package perflab.queues.modes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.Shape;
import perflab.queues.pipelines.DirectLoop;

/** One run: what it demands of a pipeline, and what it tells of one. */
class GameTest {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static Outcome play(Game game, Pipeline pipeline) throws Exception {
        return game.play(pipeline, new Shape(1, 16));
    }

    private static Game of(Mode mode, long words) {
        return new Game(Values.of(mode.defaults()).with(Knob.WORDS, words).with(Knob.BURN_HASHES, 1_000L));
    }

    @Test
    void theDirectLoopIsRightInEveryMode() throws Exception {
        for (Mode mode : Mode.values()) {
            try (Game game = of(mode, 300)) {
                assertEquals("", game.fault(play(game, new DirectLoop())), mode.key());
            }
        }
    }

    @Test
    void allWordsArePlayedUnlessSoManyAreAskedFor() {
        try (Game game = of(Mode.FAST, 0)) {
            assertEquals(23_233, game.words());
        }
    }

    @Test
    void aWordThatIsLeftOutIsAFault() throws Exception {
        try (Game game = of(Mode.FAST, 300)) {
            Pipeline forgetful = (words, scorer, shape) -> {
                words.next();
                words.forEachRemaining(scorer);
            };
            assertEquals("299 words were scored, 300 given", game.fault(play(game, forgetful)));
        }
    }

    @Test
    void aWordThatIsScoredInAnothersPlaceIsAFault() throws Exception {
        try (Game game = of(Mode.FAST, 300)) {
            Pipeline confused = (words, scorer, shape) -> {
                while (words.hasNext()) {
                    words.next();
                    scorer.accept("quickly");
                }
            };
            assertTrue(game.fault(play(game, confused)).contains("should, among them"));
        }
    }

    @Test
    void aPipelineThatReadsEverythingFirstIsVoidUnderBackPressure() {
        try (Game game = of(Mode.DELAY, 2_000)) {
            Pipeline greedy = (words, scorer, shape) -> {
                List<String> all = new ArrayList<>();
                words.forEachRemaining(all::add);
                all.forEach(scorer);
            };
            assertThrows(HardLimitException.class, () -> play(game, greedy));
        }
    }

    @Test
    void theHardLimitIsFoundBehindWhateverALibraryThrowsInstead() {
        try (Game game = of(Mode.DELAY, 2_000)) {
            Pipeline hiding = (words, scorer, shape) -> {
                try {
                    words.forEachRemaining(word -> {});
                } catch (RuntimeException hidden) {
                    throw new IllegalStateException("something is wrong");
                }
            };
            assertThrows(HardLimitException.class, () -> play(game, hiding));
        }
    }

    @Test
    void queuesHoldLessThanTheSoftLimitWhereThatIsActive() {
        try (Game delay = of(Mode.DELAY, 10);
                Game fast = of(Mode.FAST, 10)) {
            assertEquals(16, delay.shape(Crew.ALONE).queueSize());
            assertEquals(32, delay.shape(Crew.ALONE).limit());
            assertEquals(256, fast.shape(Crew.ALONE).queueSize());
            assertEquals(256, fast.shape(Crew.ALL_PROCESSORS).queueSizeEach());
        }
    }

    @Test
    void whatAPipelineTakesOfTheProcessorsIsCountedAndWhatTheBurnersTakeIsNot() throws Exception {
        long spinNs = 200_000_000;
        Pipeline spinning = (words, scorer, shape) -> {
            long until = THREADS.getCurrentThreadCpuTime() + spinNs;
            while (THREADS.getCurrentThreadCpuTime() < until) {
                Thread.onSpinWait();
            }
            words.forEachRemaining(scorer);
        };
        Pipeline sleeping = (words, scorer, shape) -> {
            Thread.sleep(50);
            words.forEachRemaining(scorer);
        };
        Values burning = Values.of(Mode.BURN.defaults()).with(Knob.WORDS, 5L).with(Knob.BACKGROUND, 1L);
        try (Game game = new Game(burning)) {
            double least = 1; // of many plays: in some of them the compiler works, which counts as the pipeline's
            for (int i = 0; i < 20 && least > 0.5; i++) {
                long before = Cpu.ofProcess();
                long slept = game.play(sleeping, new Shape(1, 16)).counters().get(Outcome.CPU);
                least = Math.min(least, (double) slept / (Cpu.ofProcess() - before));
            }
            assertTrue(least <= 0.5, "of the process's work it counts the burners', too: " + least);
            long spun = game.play(spinning, new Shape(1, 16)).counters().get(Outcome.CPU);
            assertTrue(spun > spinNs / 2, "half of what it spun: " + spun + " ns");
        }
    }

    /** A run is shorter than a step of the process's account: what is taken off must count in runs without one, too. */
    @Test
    void aRunWithoutAStepOfTheAccountCountsLessThanNothing() throws Exception {
        Values busy = Values.of(Mode.FAST.defaults()).with(Knob.WORDS, 300L).with(Knob.BACKGROUND, 2L);
        try (Game game = new Game(busy)) {
            long least = 0;
            for (int i = 0; i < 10_000 && least >= 0; i++) {
                least = play(game, new DirectLoop()).counters().get(Outcome.CPU);
            }
            assertTrue(least < 0, "no run of ten thousand counted less than " + least + " ns");
        }
    }

    @Test
    void whatTheBackgroundHadIsCounted() throws Exception {
        Pipeline sleeping = (words, scorer, shape) -> {
            Thread.sleep(50);
            words.forEachRemaining(scorer);
        };
        Values busy = Values.of(Mode.FAST.defaults()).with(Knob.WORDS, 5L);
        try (Game quiet = new Game(busy);
                Game game = new Game(busy.with(Knob.BACKGROUND, 1L))) {
            assertEquals(0, play(quiet, sleeping).counters().get(Outcome.OTHERS));
            assertTrue(play(game, sleeping).counters().get(Outcome.OTHERS) > 0);
        }
    }

    @Test
    void fairnessIsOfTheWorkersThatWereAskedFor() throws Exception {
        try (Game game = of(Mode.FAST, 100)) {
            Outcome alone = game.play(new DirectLoop(), new Shape(4, 16));
            assertEquals(250_000, alone.counters().get(Outcome.FAIRNESS));
        }
    }
}
