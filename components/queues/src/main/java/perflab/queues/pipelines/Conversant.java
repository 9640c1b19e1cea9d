package perflab.queues.pipelines;

import com.conversantmedia.util.concurrent.DisruptorBlockingQueue;
import com.conversantmedia.util.concurrent.SpinPolicy;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import perflab.queues.Shape;

/**
 * Conversant's DisruptorBlockingQueue, shared by the workers. As upstream has it: the caller waits for room as the queue does, which
 * spins and then parks for short times; a worker polls, and so spins.
 */
public final class Conversant extends SharedQueue {

    public Conversant() {
        super(Workers.onPlatformThreads());
    }

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        BlockingQueue<String> queue = new DisruptorBlockingQueue<>(shape.queueSize(), SpinPolicy.WAITING);
        run(words, scorer, shape.workers(), queue::put, Spinning.take(queue));
    }
}
