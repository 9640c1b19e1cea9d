package perflab.mailbox.peer;

import java.util.concurrent.LinkedTransferQueue;
import perflab.mailbox.BlockingQueueMailbox;

/**
 * Lock-free on both sides, and the consumer parks by itself: the JDK's {@link LinkedTransferQueue}, a dual queue after Scherer,
 * Lea and Scott ("Scalable Synchronous Queues", 2006). A consumer that finds nothing enqueues a node of its own, and the next
 * producer fills that one and unparks it, so a wake-up cannot be lost. Each message costs a node.
 *
 * <p><b>Progress.</b> Offers and polls retry only if somebody else's succeeded. {@link #size} walks the queue.
 */
public final class TransferMailbox<E> extends BlockingQueueMailbox<E> {

    private final LinkedTransferQueue<E> queue = new LinkedTransferQueue<>();

    @Override
    protected LinkedTransferQueue<E> queue() {
        return queue;
    }

    @Override
    public int capacity() {
        return Integer.MAX_VALUE;
    }
}
