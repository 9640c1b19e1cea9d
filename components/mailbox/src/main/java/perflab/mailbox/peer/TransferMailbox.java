package perflab.mailbox.peer;

import java.util.Collection;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import perflab.mailbox.Mailbox;

/**
 * Lock-free on both sides, and the consumer parks by itself: the JDK's {@link LinkedTransferQueue}, a dual queue after Scherer,
 * Lea and Scott ("Scalable Synchronous Queues", 2006). A consumer that finds nothing enqueues a node of its own, and the next
 * producer fills that one and unparks it, so a wake-up cannot be lost. Each message costs a node.
 *
 * <p><b>Progress.</b> Offers and polls retry only if somebody else's succeeded. {@link #size} walks the queue.
 *
 * @param <E> the type of the messages
 */
public final class TransferMailbox<E> implements Mailbox<E> {

    private final LinkedTransferQueue<E> queue = new LinkedTransferQueue<>();

    @Override
    public boolean offer(E message) {
        return queue.offer(message);
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        return queue.poll(timeout, unit);
    }

    @Override
    public E take() throws InterruptedException {
        return queue.take();
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        return queue.drainTo(sink, max);
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public int capacity() {
        return Integer.MAX_VALUE;
    }
}
