package perflab.queues.pipelines;

import com.conversantmedia.util.concurrent.PushPullBlockingQueue;
import com.conversantmedia.util.concurrent.SpinPolicy;
import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Shape;

/**
 * Conversant's queue for one producer and one consumer, one for each worker. As upstream has it: the caller waits for room as the
 * queue does, a worker polls and so spins, and no queue is shorter than 128, however low the soft limit.
 */
public final class Push extends QueuePerWorker {

    private static final int LEAST_SIZE = 128;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        this.<PushPullBlockingQueue<String>>run(
                words,
                scorer,
                shape.workers(),
                () -> new PushPullBlockingQueue<>(Math.max(LEAST_SIZE, shape.queueSizeEach()), SpinPolicy.WAITING),
                queue -> queue::put,
                Spinning::take);
    }
}
