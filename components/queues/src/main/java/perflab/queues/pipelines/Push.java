package perflab.queues.pipelines;

import com.conversantmedia.util.concurrent.PushPullBlockingQueue;
import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** Conversant's queue for one producer and one consumer, one for each worker. */
public final class Push implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        QueuePerWorker.<PushPullBlockingQueue<String>>run(
                words,
                scorer,
                shape.workers(),
                () -> new PushPullBlockingQueue<>(shape.queueSizeEach()),
                queue -> queue::put,
                queue -> queue::take);
    }
}
