package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.Queue;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import perflab.queues.Shape;

/** Agrona's ManyToManyConcurrentArrayQueue, shared by the workers; all sides idle as Agrona's agents do: spin, yield, park up to 1 ms. */
public final class Agrona extends SharedQueue {

    public Agrona() {
        super(Workers.onPlatformThreads());
    }

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        Queue<String> queue = new ManyToManyConcurrentArrayQueue<>(Math.max(2, shape.queueSize()));
        // An idle strategy has a state, and belongs to one thread.
        ThreadLocal<IdleStrategy> idle = ThreadLocal.withInitial(BackoffIdleStrategy::new);
        run(words, scorer, shape.workers(), word -> put(queue, word, idle.get()), () -> take(queue, idle.get()));
    }

    private static void put(Queue<String> queue, String word, IdleStrategy idle) {
        while (!queue.offer(word)) {
            idle.idle();
        }
        idle.reset();
    }

    private static String take(Queue<String> queue, IdleStrategy idle) {
        String word = queue.poll();
        while (word == null) {
            idle.idle();
            word = queue.poll();
        }
        idle.reset();
        return word;
    }
}
