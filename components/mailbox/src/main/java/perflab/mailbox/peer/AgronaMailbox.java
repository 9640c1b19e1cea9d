package perflab.mailbox.peer;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import perflab.mailbox.Mailbox;

/**
 * Agrona's queue for many producers and one consumer, without a wake-up: the consumer looks again and again, and the
 * producer pays for nothing but the queue.
 *
 * <p><b>Progress.</b> Producers retry a compare-and-set; they look at a copy of the consumer's index as long as that leaves
 * room. Nobody ever waits for anybody to be woken.
 *
 * <p><b>What that costs.</b> Agrona's {@link BackoffIdleStrategy} at its defaults spins 10 times, yields 5 times, then
 * parks for 1 us, doubling up to 1 ms. So a message to an actor at rest waits for up to 1 ms and the timer's
 * slack, half of that on average, and every actor at rest wakes up about a thousand times a second.
 *
 * <p><b>Weakened contract.</b> A poll may return later than its timeout by the park it is in, up to 1 ms.
 */
public final class AgronaMailbox<E> implements Mailbox<E> {

    private final ManyToOneConcurrentArrayQueue<E> queue;
    private final BackoffIdleStrategy idle = new BackoffIdleStrategy();

    public AgronaMailbox() {
        this(10_000);
    }

    /**
     * With a capacity of its own.
     *
     * @param capacity rounded up to a power of two
     */
    public AgronaMailbox(int capacity) {
        queue = new ManyToOneConcurrentArrayQueue<>(capacity);
    }

    @Override
    public boolean offer(E message) {
        return queue.offer(message);
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E message = queue.poll();
        if (message != null || timeout <= 0) {
            return message;
        }
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        idle.reset();
        while ((message = queue.poll()) == null && System.nanoTime() - deadline < 0) {
            idleOrThrow();
        }
        return message;
    }

    @Override
    public E take() throws InterruptedException {
        idle.reset();
        E message;
        while ((message = queue.poll()) == null) {
            idleOrThrow();
        }
        return message;
    }

    /** An interrupt ends a park at once; the strategy itself takes no notice of it. */
    private void idleOrThrow() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        idle.idle();
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        int moved = 0;
        for (E message; moved < max && (message = queue.poll()) != null; moved++) {
            sink.add(message);
        }
        return moved;
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public int capacity() {
        return queue.capacity();
    }
}
