package perflab.queues.lab;

import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The words that a worker has read and not scored, and how many it should read the next time.
 *
 * <p>A batch is to take {@link #TARGET_NS} from its first word read to its last one scored: much longer than it takes to hand the lead
 * on, and short enough that at the end of the source nobody waits for long. With large tasks, or words that come slowly,
 * that is one word. What lies between, to hand the lead on, does not count: a wake-up that takes as long as the target would make
 * batches ever smaller. So the clock is read four times a batch, some 100 ns of its 50,000.
 */
final class Batch {

    static final long TARGET_NS = TimeUnit.MICROSECONDS.toNanos(50);

    /** How much longer than to score a batch it takes to read it where the source is what everybody waits for. */
    static final int SLOW_SOURCE = 16;

    private final LongSupplier clock;
    private final String[] words;
    private int count;
    private int wanted = 1;
    private long filledNs;
    private long scoreNs = Long.MAX_VALUE;

    Batch(int largest) {
        this(largest, System::nanoTime);
    }

    /**
     * Creates an empty batch.
     *
     * @param clock in nanoseconds
     */
    Batch(int largest, LongSupplier clock) {
        this.words = new String[largest];
        this.clock = clock;
    }

    /**
     * Reads as many words as are wanted.
     *
     * @return false if the source is at its end
     */
    boolean fill(Iterator<String> source) {
        long begun = clock.getAsLong();
        count = 0;
        boolean more = source.hasNext();
        while (more && count < wanted) {
            words[count] = source.next();
            count++;
            more = source.hasNext();
        }
        filledNs = clock.getAsLong() - begun;
        return more;
    }

    /**
     * Whether the batch is likely to be scored in a small part of the time that the source took for it: another leader would only
     * have waited for the source as well.
     */
    boolean isSourceSlow() {
        return scoreNs < filledNs / SLOW_SOURCE;
    }

    void score(Consumer<String> scorer) {
        if (count == 0) {
            return;
        }
        long begun = clock.getAsLong();
        for (int i = 0; i < count; i++) {
            scorer.accept(words[i]);
        }
        scoreNs = clock.getAsLong() - begun;
        adapt(filledNs + scoreNs);
        count = 0;
    }

    /** At most twice as many as before, because a few words are a poor sample. */
    private void adapt(long tookNs) {
        long fitting = count * TARGET_NS / Math.max(1, tookNs);
        wanted = (int) Math.clamp(fitting, 1, Math.min(words.length, 2L * count));
    }
}
