package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** The JDK's ArrayBlockingQueue, shared by workers on virtual threads. */
public final class VirtualThreads implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(shape.queueSize());
        SharedQueue.run(words, scorer, shape.workers(), Workers.onVirtualThreads(), queue::put, queue::take);
    }
}
