package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Pipeline;

/** The caller puts, all workers take from the same queue. */
abstract class SharedQueue implements Pipeline {

    private final Workers workers;

    SharedQueue(Workers workers) {
        this.workers = workers;
    }

    final void run(Iterator<String> words, Consumer<String> scorer, int count, Put queue, Take end)
            throws InterruptedException {
        for (int i = 0; i < count; i++) {
            workers.start(() -> end.drainTo(scorer));
        }
        try {
            while (words.hasNext()) {
                queue.put(words.next());
            }
        } finally {
            for (int i = 0; i < count; i++) {
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
