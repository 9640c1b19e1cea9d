package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;
import perflab.mailbox.lab.BoundedMailbox;
import perflab.queues.Shape;

/** This project's bounded mailbox, one for each worker: it has one consumer. Both sides sleep when they have to wait for long. */
public final class LabMailbox extends QueuePerWorker {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        this.<Mailbox<String>>run(
                words,
                scorer,
                shape.workers(),
                () -> new BoundedMailbox<>(shape.queueSizeEach()),
                LabMailbox::put,
                queue -> queue::take);
    }

    private static Put put(Mailbox<String> queue) {
        return word -> {
            while (!queue.offer(word, 1, TimeUnit.HOURS)) {
                // an hour without room is no reason to lose a word
            }
        };
    }
}
