package perflab.queues.pipelines;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import perflab.queues.Pipeline;

/** Each worker has a queue of its own, and the caller deals the words to them in turn. */
abstract class QueuePerWorker implements Pipeline {

    private final Workers workers = Workers.onPlatformThreads();

    final <Q> void run(
            Iterator<String> words,
            Consumer<String> scorer,
            int count,
            Supplier<Q> queues,
            Function<Q, Put> puts,
            Function<Q, Take> takes)
            throws InterruptedException {
        List<Put> each = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Q queue = queues.get();
            each.add(puts.apply(queue));
            Take end = takes.apply(queue);
            workers.start(() -> end.drainTo(scorer));
        }
        try {
            for (int turn = 0; words.hasNext(); turn = (turn + 1) % count) {
                each.get(turn).put(words.next());
            }
        } finally {
            for (Put queue : each) {
                queue.put(Take.END);
            }
            workers.join();
        }
    }

    @Override
    public final void close() {
        workers.close();
    }
}
