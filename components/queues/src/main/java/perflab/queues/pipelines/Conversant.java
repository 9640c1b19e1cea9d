package perflab.queues.pipelines;

import com.conversantmedia.util.concurrent.DisruptorBlockingQueue;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** Conversant's DisruptorBlockingQueue, shared by the workers, with its default policy: it spins, then parks for short times. */
public final class Conversant implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        BlockingQueue<String> queue = new DisruptorBlockingQueue<>(shape.queueSize());
        SharedQueue.run(words, scorer, shape.workers(), Workers.onPlatformThreads(), queue::put, queue::take);
    }
}
