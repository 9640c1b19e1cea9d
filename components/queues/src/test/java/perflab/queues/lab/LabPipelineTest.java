package perflab.queues.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import perflab.queues.Shape;

/** How a run ends. */
class LabPipelineTest {

    private static final int WORDS = 2_000;
    private static final int WORKERS = 4;

    private static Iterator<String> words(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).iterator();
    }

    private static void run(Iterator<String> words, Consumer<String> scorer) throws Exception {
        try (LabPipeline pipeline = new LabPipeline()) {
            pipeline.run(words, scorer, new Shape(WORKERS, 256));
        }
    }

    @Test
    void nothingIsScoredWhenAnInterruptedRunHasReturned() throws Exception {
        AtomicInteger scored = new AtomicInteger();
        Thread.currentThread().interrupt();
        try {
            run(words(WORDS), word -> {
                for (int i = 0; i < 1_000; i++) {
                    Thread.onSpinWait();
                }
                scored.incrementAndGet();
            });
        } catch (InterruptedException e) {
            // it had helpers to wait for
        } finally {
            Thread.interrupted(); // or else the next test begins with it
        }
        assertEquals(WORDS, scored.get());
    }

    @Test
    void aScorerThatThrowsEndsTheRunForAll() {
        AtomicInteger read = new AtomicInteger();
        Iterator<String> endless = IntStream.generate(read::incrementAndGet)
                .mapToObj(Integer::toString)
                .iterator();
        Exception thrown = assertThrows(
                Exception.class,
                () -> run(endless, word -> {
                    throw new IllegalArgumentException("no score");
                }));
        assertTrue(thrown.getMessage().matches("no score|a worker has failed"), thrown.getMessage());
    }

    @Test
    void aHelperThatHasNotBegunNeverDoesAndOneThatHasIsWaitedFor() {
        Lead lead = new Lead(words(1));
        AtomicInteger scored = new AtomicInteger();
        Worker late = new Worker(lead, new Batch(1), word -> scored.incrementAndGet());
        assertTrue(late.dismiss());
        late.work();
        assertEquals(0, scored.get());
        Worker first = new Worker(lead, new Batch(1), word -> scored.incrementAndGet());
        first.work();
        assertEquals(1, scored.get());
        assertFalse(first.dismiss());
    }

    @Test
    void theSourceIsReadByOneAtATimeAndEachWordScoredOnce() throws Exception {
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger scored = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(WORDS);
        Iterator<String> guarded = new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < WORDS;
            }

            @Override
            public String next() {
                assertEquals(1, readers.incrementAndGet());
                String word = Integer.toString(next++);
                readers.decrementAndGet();
                return word;
            }
        };
        run(guarded, word -> {
            scored.incrementAndGet();
            all.countDown();
        });
        assertEquals(0, all.getCount());
        assertEquals(WORDS, scored.get());
    }
}
