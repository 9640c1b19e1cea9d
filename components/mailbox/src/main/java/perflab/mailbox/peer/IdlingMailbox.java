package perflab.mailbox.peer;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import perflab.mailbox.Mailbox;

/**
 * A bare queue, and a consumer that looks again and again: a queue without a wake-up, used as it is meant to be used. The
 * producer pays for nothing but the queue.
 *
 * <p><b>Progress.</b> That of the queue, on both sides: nobody ever waits for anybody to be woken. The strategy decides what the
 * consumer does between two looks.
 *
 * <p><b>What that costs.</b> With Agrona's {@code BackoffIdleStrategy} at its defaults the consumer spins 10 times, yields 5
 * times, then parks for 1 us, doubling up to 1 ms. So a message to an actor at rest waits for up to 1 ms and the timer's
 * slack, half of that on average, and every actor at rest wakes up about a thousand times a second.
 *
 * <p><b>Weakened contract.</b> A poll may return later than its timeout by the park it is in, up to 1 ms.
 *
 * @param <E> the type of the messages
 */
public final class IdlingMailbox<E> implements Mailbox<E> {

    private final Queue<E> queue;
    private final int capacity;
    private final IdleStrategy idle;

    /**
     * Wraps an empty queue of many producers and one consumer.
     *
     * @param capacity what the queue holds at most; {@code Integer.MAX_VALUE} if memory is the only bound
     * @param idle of the consumer's own, as it keeps count
     */
    public IdlingMailbox(Queue<E> queue, int capacity, IdleStrategy idle) {
        this.queue = queue;
        this.capacity = capacity;
        this.idle = idle;
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
        return capacity;
    }
}
