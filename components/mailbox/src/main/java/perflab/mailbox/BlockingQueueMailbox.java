package perflab.mailbox;

import java.util.Collection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A mailbox that is a blocking queue: each call is the queue's own, with its guarantees. */
public abstract class BlockingQueueMailbox<E> implements Mailbox<E> {

    protected abstract BlockingQueue<E> queue();

    @Override
    public boolean offer(E message) {
        return queue().offer(message);
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        return queue().poll(timeout, unit);
    }

    @Override
    public E take() throws InterruptedException {
        return queue().take();
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        return queue().drainTo(sink, max);
    }

    @Override
    public int size() {
        return queue().size();
    }
}
