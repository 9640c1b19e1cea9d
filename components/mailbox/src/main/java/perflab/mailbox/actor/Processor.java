package perflab.mailbox.actor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;

/**
 * The loop of an actor's thread, as in Cajun: wait for one message, then take more that are already there, up to a batch,
 * then handle them in order.
 */
class Processor<M> implements Runnable {

    private final Mailbox<M> mailbox;
    private final PollLoop loop;
    private final Consumer<? super M> handler;
    private Runnable atEnd = () -> {};
    private volatile boolean running = true;
    /** Written by the actor's thread alone. */
    private volatile long emptyPolls;

    Processor(Mailbox<M> mailbox, PollLoop loop, Consumer<? super M> handler) {
        this.mailbox = mailbox;
        this.loop = loop;
        this.handler = handler;
    }

    /** Sets what to do when the loop has ended; called before the thread starts. */
    final void atEnd(Runnable action) {
        atEnd = action;
    }

    @Override
    public final void run() {
        List<M> batch = new ArrayList<>(loop.batchSize());
        long timeoutMs = loop.timeoutMs();
        try {
            while (running) {
                M first = await(timeoutMs);
                if (first == null) {
                    emptyPolls++;
                    timeoutMs = loop.afterNothing(timeoutMs);
                    if (loop.yields()) {
                        giveWay();
                    }
                    continue;
                }
                timeoutMs = loop.timeoutMs();
                batch.add(first);
                mailbox.drainTo(batch, loop.batchSize() - 1);
                batch.forEach(handler);
                batch.clear();
            }
        } catch (InterruptedException e) {
            // stop() interrupts: the wait for a message is over, and so is the loop
        } finally {
            // However it ended, by a handler that threw, too: nobody will receive what is sent from now on.
            mailbox.close();
            atEnd.run();
        }
    }

    private M await(long timeoutMs) throws InterruptedException {
        return timeoutMs == 0 ? mailbox.take() : mailbox.poll(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** What v0.1.4 did after a poll that brought nothing; a test counts it. */
    void giveWay() {
        Thread.yield();
    }

    final long emptyPolls() {
        return emptyPolls;
    }

    /** Ends the loop after the batch in hand; the caller then interrupts the thread, which may be waiting. */
    final void stop() {
        running = false;
    }
}
