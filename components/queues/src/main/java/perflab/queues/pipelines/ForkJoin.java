package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * A ForkJoinPool, and a task for each word. The pool's queues have no bound, so the caller counts, as upstream does: where too
 * many words are under way it scores some itself.
 */
public final class ForkJoin implements Pipeline {

    /** From one run to the next of as many workers. */
    private ForkJoinPool kept;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        ForkJoinPool pool = pool(shape.workers());
        AtomicInteger underWay = new AtomicInteger();
        try {
            while (words.hasNext()) {
                String word = words.next();
                if (underWay.incrementAndGet() >= shape.limit()) {
                    Thread.yield();
                    // Takes tasks from the pool until none waits. Those that the workers have begun, one each, may
                    // still run then: it does not wait for them.
                    pool.awaitQuiescence(0, TimeUnit.NANOSECONDS);
                }
                pool.execute(() -> {
                    scorer.accept(word);
                    // Last, so that no word is under way and not counted, and whoever reads zero sees all that was
                    // scored.
                    underWay.decrementAndGet();
                });
            }
        } finally {
            while (underWay.get() > 0) {
                pool.awaitQuiescence(1, TimeUnit.SECONDS); // and helps
            }
        }
    }

    private ForkJoinPool pool(int workers) {
        if (kept == null || kept.getParallelism() != workers) {
            close();
            kept = new ForkJoinPool(workers);
        }
        return kept;
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close();
        }
    }
}
