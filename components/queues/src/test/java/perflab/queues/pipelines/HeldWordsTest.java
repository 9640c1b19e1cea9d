package perflab.queues.pipelines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import perflab.queues.Shape;
import perflab.queues.modes.Knob;
import perflab.queues.modes.Mode;
import perflab.queues.pipelines.kilim.KilimTasks;

/** What a pipeline does with the other words while one of them is not done. */
class HeldWordsTest {

    private static final long LIMIT_S = 30;

    private final CountDownLatch gate = new CountDownLatch(1);

    /** The report: its parameter for the size of queues is not honoured by all implementations. */
    @Test
    void rxJavaReadsAheadHoweverSmallTheQueue() throws Exception {
        requireReadAhead(2, new Shape(1, 1));
    }

    /** The report: in parallel RxJava has no back pressure, which its soft limit asks for. */
    @Test
    void rxJavaInParallelReadsBeyondTheSoftLimit() throws Exception {
        int limit = ((Long) Mode.DELAY.defaults().get(Knob.SOFT)).intValue();
        requireReadAhead(limit + 1, new Shape(2, limit / 2));
    }

    /** Parallel RxJava has so many words under way, beside those that its workers hold. */
    private void requireReadAhead(int count, Shape shape) throws Exception {
        CountDownLatch ahead = new CountDownLatch(count + shape.workers());
        Iterator<String> words = Stream.generate(() -> "word")
                .limit(1_000)
                .peek(word -> ahead.countDown())
                .iterator();
        FutureTask<Void> run = start(() -> new RxJavaParallel().run(words, word -> pass(), shape));
        assertTrue(ahead.await(LIMIT_S, TimeUnit.SECONDS), () -> ahead.getCount() + " words fewer were read");
        finish(run);
    }

    /** The report: without messages for several consumers Kilim may fall back to a single thread. */
    @Test
    void wordsOfAHeldTaskOfKilimWaitWhileTheOtherIsFree() throws Exception {
        List<String> words = List.of("held", "b1", "a2", "b2", "a3", "b3");
        CountDownLatch others = new CountDownLatch(3);
        Set<String> scored = ConcurrentHashMap.newKeySet();
        try (KilimTasks kilim = new KilimTasks()) {
            FutureTask<Void> run = start(() -> kilim.run(
                    words.iterator(),
                    word -> {
                        if (word.equals("held")) {
                            pass();
                        }
                        scored.add(word);
                        if (word.startsWith("b")) {
                            others.countDown();
                        }
                    },
                    new Shape(2, 20)));
            assertTrue(others.await(LIMIT_S, TimeUnit.SECONDS), () -> "only these were scored: " + scored);
            assertEquals(Set.of("b1", "b2", "b3"), scored);
            finish(run);
        }
        assertEquals(Set.copyOf(words), scored);
    }

    /** As upstream's: a full mailbox does not hold up the words that another has room for. */
    @Test
    void kilimDealsPastAMailboxWithoutRoom() throws Exception {
        int slots = 4;
        int count = 300;
        AtomicInteger underWay = new AtomicInteger();
        // The held task has a word in hand and as many as its mailbox holds; with one more the two others have room.
        Iterator<String> words = IntStream.range(0, count)
                .mapToObj(i -> i == 0 ? "held" : "w" + i)
                .peek(word -> awaitAtMost(slots + 2, underWay))
                .iterator();
        CountDownLatch others = new CountDownLatch(count - slots - 1);
        try (KilimTasks kilim = new KilimTasks()) {
            FutureTask<Void> run = start(() -> kilim.run(
                    words,
                    word -> {
                        if (word.equals("held")) {
                            pass();
                        }
                        underWay.decrementAndGet();
                        others.countDown();
                    },
                    new Shape(3, slots)));
            assertTrue(others.await(LIMIT_S, TimeUnit.SECONDS), () -> others.getCount() + " words more wait");
            finish(run);
        }
        assertEquals(0, underWay.get());
    }

    private static void awaitAtMost(int most, AtomicInteger underWay) {
        while (underWay.get() >= most) {
            Thread.yield();
        }
        underWay.incrementAndGet();
    }

    /** As upstream's: at its limit the caller scores words itself, where the pool's only thread cannot. */
    @Test
    void forkJoinKeepsItsLimitWithItsThreadHeld() throws Exception {
        int limit = 8;
        int count = 500;
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Iterator<String> words = IntStream.range(0, count)
                .mapToObj(i -> i == 0 ? "held" : "w" + i)
                .peek(word -> most.accumulateAndGet(underWay.incrementAndGet(), Math::max))
                .iterator();
        CountDownLatch others = new CountDownLatch(count - limit);
        FutureTask<Void> run = start(() -> new ForkJoin()
                .run(
                        words,
                        word -> {
                            if (word.equals("held") && Thread.currentThread() instanceof ForkJoinWorkerThread) {
                                pass();
                            }
                            underWay.decrementAndGet();
                            others.countDown();
                        },
                        Shape.within(1, limit)));
        assertTrue(others.await(LIMIT_S, TimeUnit.SECONDS), () -> others.getCount() + " words more wait");
        finish(run);
        assertTrue(most.get() <= limit, () -> most + " words were under way");
    }

    private void pass() {
        try {
            assertTrue(gate.await(LIMIT_S, TimeUnit.SECONDS), "the gate never opened");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void finish(FutureTask<Void> run) throws InterruptedException, ExecutionException {
        gate.countDown();
        run.get();
    }

    private interface Run {
        void run() throws Exception;
    }

    private static FutureTask<Void> start(Run run) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            run.run();
            return null;
        });
        new Thread(task).start();
        return task;
    }
}
