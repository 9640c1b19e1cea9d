package perflab.queues.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import perflab.queues.Shape;

/** How a run ends. */
class LabPipelineTest {

    private static final int WORDS = 2_000;
    private static final int WORKERS = 4;
    private static final long LIMIT_S = 20;

    private static Iterator<String> words(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).iterator();
    }

    private static void run(Iterator<String> words, Consumer<String> scorer) throws Exception {
        run(words, scorer, WORKERS);
    }

    private static void run(Iterator<String> words, Consumer<String> scorer, int workers) throws Exception {
        try (LabPipeline pipeline = new LabPipeline()) {
            pipeline.run(words, scorer, new Shape(workers, 256));
        }
    }

    /** The helper keeps its first word until the caller, who has scored all others, waits for it; or has returned without. */
    @Test
    void nothingIsScoredWhenAnInterruptedRunHasReturned() throws Exception {
        AtomicInteger scored = new AtomicInteger();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        Thread caller = Thread.currentThread();
        Consumer<String> scorer = word -> {
            if (Thread.currentThread() != caller) {
                held.countDown();
                while (returned.getCount() > 0
                        && (scored.get() < WORDS - 1 || caller.getState() != Thread.State.WAITING)) {
                    Thread.yield();
                }
            } else if (!caller.isInterrupted()) {
                await(held);
                caller.interrupt();
            }
            scored.incrementAndGet();
        };
        try {
            assertThrows(InterruptedException.class, () -> run(words(WORDS), scorer, 2));
            assertEquals(WORDS, scored.get());
        } finally {
            returned.countDown();
            Thread.interrupted(); // or else the next test begins with it
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LIMIT_S, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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
