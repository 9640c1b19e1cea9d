package perflab.queues.pipelines;

import java.util.Queue;

/**
 * How threads wait at a queue that does not know how to, or is not asked to: they look again and again, and keep their processor.
 * That is fast as long as there is a processor for each of them; on a full machine they take the time of those they wait for.
 */
final class Spinning {

    private Spinning() {}

    static Put put(Queue<String> queue) {
        return word -> {
            while (!queue.offer(word)) {
                Thread.onSpinWait();
            }
        };
    }

    static Take take(Queue<String> queue) {
        return () -> {
            String word = queue.poll();
            while (word == null) {
                Thread.onSpinWait();
                word = queue.poll();
            }
            return word;
        };
    }
}
