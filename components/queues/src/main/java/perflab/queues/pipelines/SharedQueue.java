package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.function.Consumer;

/** The caller puts, all workers take from the same queue. */
final class SharedQueue {

    private SharedQueue() {}

    static void run(Iterator<String> words, Consumer<String> scorer, int count, Workers workers, Put queue, Take end)
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
}
