package perflab.mailbox.actor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;

/**
 * The loop of an actor's thread, as in Cajun: wait for one message, then take up to nine more that are already there, then
 * handle them in order.
 *
 * @param <E> the type of the messages
 */
final class Processor<E> implements Runnable {

    private static final int BATCH_SIZE = 10;

    private final Mailbox<E> mailbox;
    private final PollLoop loop;
    private final Consumer<? super E> handler;
    private volatile boolean running = true;

    Processor(Mailbox<E> mailbox, PollLoop loop, Consumer<? super E> handler) {
        this.mailbox = mailbox;
        this.loop = loop;
        this.handler = handler;
    }

    @Override
    public void run() {
        List<E> batch = new ArrayList<>(BATCH_SIZE);
        try {
            while (running) {
                E first = await();
                if (first == null) {
                    if (loop.yields()) {
                        Thread.yield();
                    }
                    continue;
                }
                batch.add(first);
                mailbox.drainTo(batch, BATCH_SIZE - 1);
                batch.forEach(handler);
                batch.clear();
            }
        } catch (InterruptedException e) {
            // stop() interrupts: the wait for a message is over, and so is the loop
        }
    }

    private E await() throws InterruptedException {
        return loop.timeoutMs() == 0 ? mailbox.take() : mailbox.poll(loop.timeoutMs(), TimeUnit.MILLISECONDS);
    }

    /** Ends the loop after the batch in hand; the caller then interrupts the thread, which may be waiting. */
    void stop() {
        running = false;
    }
}
