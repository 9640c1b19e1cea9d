package perflab.queues.pipelines;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** No pipeline on threads of the platform makes new ones for each run: the clock would count that for some and not for others. */
class KeptThreadsTest {

    private static final int RUNS = 20;
    private static final Shape SHAPE = new Shape(2, 8);

    static Stream<Pipeline> pipelines() {
        return Stream.of(
                new Agrona(),
                new Conversant(),
                new ForkJoin(),
                new Jctools(),
                new JctoolsFair(),
                new LabMailbox(),
                new LmaxDisruptor(),
                new Push());
    }

    @ParameterizedTest
    @MethodSource("pipelines")
    void scoresInItsWorkersAndTheCallerAlone(Pipeline pipeline) throws Exception {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        try (pipeline) {
            for (int i = 0; i < RUNS; i++) {
                pipeline.run(
                        Collections.nCopies(100, "word").iterator(),
                        word -> threads.add(Thread.currentThread()),
                        SHAPE);
            }
        }
        assertTrue(threads.size() <= SHAPE.workers() + 1, threads::toString);
    }
}
