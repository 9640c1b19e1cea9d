package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.Queue;
import java.util.function.Consumer;
import org.jctools.queues.SpmcArrayQueue;
import perflab.queues.Shape;

/** JCTools' queue for one producer and many consumers, shared by the workers; all sides spin. */
public final class JctoolsFair extends SharedQueue {

    public JctoolsFair() {
        super(Workers.onPlatformThreads());
    }

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        Queue<String> queue = new SpmcArrayQueue<>(shape.queueSize());
        run(words, scorer, shape.workers(), Spinning.put(queue), Spinning.take(queue));
    }
}
