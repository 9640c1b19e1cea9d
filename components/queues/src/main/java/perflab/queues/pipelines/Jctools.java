package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.Queue;
import java.util.function.Consumer;
import org.jctools.queues.SpscArrayQueue;
import perflab.queues.Shape;

/** JCTools' queue for one producer and one consumer, one for each worker; both sides spin. */
public final class Jctools extends QueuePerWorker {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        this.<Queue<String>>run(
                words,
                scorer,
                shape.workers(),
                () -> new SpscArrayQueue<>(shape.queueSizeEach()),
                Spinning::put,
                Spinning::take);
    }
}
