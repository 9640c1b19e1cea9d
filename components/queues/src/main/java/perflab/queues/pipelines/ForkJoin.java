package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** A ForkJoinPool, and a task for each word; the pool's queues have no bound. */
public final class ForkJoin implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        // Closing a pool waits for all its tasks.
        try (ForkJoinPool pool = new ForkJoinPool(shape.workers())) {
            while (words.hasNext()) {
                String word = words.next();
                pool.execute(() -> scorer.accept(word));
            }
        }
    }
}
