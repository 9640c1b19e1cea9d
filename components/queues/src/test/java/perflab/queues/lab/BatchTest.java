package perflab.queues.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How large batches become, by a clock that only the source and the scorer move. */
class BatchTest {

    private static final int LARGEST = 64;

    private long nowNs = 1;
    private final List<String> scored = new ArrayList<>();
    private final Batch batch = new Batch(LARGEST, () -> nowNs);

    private Iterator<String> source(int words, long readNs) {
        return IntStream.range(0, words)
                .mapToObj(i -> {
                    nowNs += readNs;
                    return Integer.toString(i);
                })
                .iterator();
    }

    /** The sizes of so many batches. */
    private List<Integer> sizes(int batches, Iterator<String> source, long scoreNs) {
        List<Integer> sizes = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            int before = scored.size();
            batch.fill(source);
            batch.score(word -> {
                nowNs += scoreNs;
                scored.add(word);
            });
            sizes.add(scored.size() - before);
        }
        return sizes;
    }

    @Test
    void smallTasksComeInBatchesThatDouble() {
        assertEquals(List.of(1, 2, 4, 8, 16, 32, LARGEST, LARGEST), sizes(8, source(1_000, 10), 100));
    }

    @Test
    void aBatchTakesItsTimeAndNoLonger() {
        int fitting = (int) (Batch.TARGET_NS / 5_000);
        assertEquals(fitting, sizes(8, source(1_000, 0), 5_000).getLast());
    }

    @Test
    void largeTasksComeOneByOne() {
        assertEquals(List.of(1, 1, 1, 1), sizes(4, source(1_000, 10), 2 * Batch.TARGET_NS));
    }

    @Test
    void aSlowSourceIsLeftAfterOneWord() {
        assertEquals(List.of(1, 1, 1, 1), sizes(4, source(1_000, 1_000_000), 100));
    }

    @Test
    void afterALargeTaskBatchesGrowAgain() {
        Iterator<String> source = source(1_000, 0);
        sizes(8, source, 100);
        assertEquals(
                List.of(LARGEST, 1, 2),
                List.of(sizes(1, source, 100_000), sizes(2, source, 100)).stream()
                        .flatMap(List::stream)
                        .toList());
    }

    @Test
    void theLeadIsKeptWhereTheSourceIsMuchSlowerThanTheWorker() {
        assertFalse(batch.isSourceSlow(), "nothing is known of the first word");
        long readNs = 1_000_000;
        Iterator<String> source = source(1_000, readNs);
        sizes(1, source, readNs / Batch.SLOW_SOURCE - 1);
        assertTrue(batch.isSourceSlow());
        sizes(1, source, readNs / Batch.SLOW_SOURCE);
        assertFalse(batch.isSourceSlow());
    }

    @Test
    void handingTheLeadOnDoesNotCount() {
        Iterator<String> source = source(1_000, 0);
        sizes(8, source, 100);
        batch.fill(source);
        nowNs += 2 * Batch.TARGET_NS; // somebody is woken, and the worker preempted
        batch.score(word -> nowNs += 100);
        assertEquals(List.of(LARGEST), sizes(1, source, 100));
    }

    @Test
    void theEndIsToldWithTheLastWords() {
        Iterator<String> source = source(2, 10);
        assertTrue(batch.fill(source));
        batch.score(scored::add);
        assertFalse(batch.fill(source));
        batch.score(scored::add);
        assertFalse(batch.fill(source));
        batch.score(scored::add);
        assertEquals(List.of("0", "1"), scored);
    }
}
