package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import perflab.queues.Shape;

/** The JDK's ArrayBlockingQueue, shared by workers on virtual threads. */
public final class VirtualThreads extends SharedQueue {

    public VirtualThreads() {
        super(Workers.onVirtualThreads());
    }

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(shape.queueSize());
        run(words, scorer, shape.workers(), queue::put, queue::take);
    }
}
