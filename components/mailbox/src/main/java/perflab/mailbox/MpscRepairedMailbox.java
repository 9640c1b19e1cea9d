package perflab.mailbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Producers are lock-free up to the allocation of a chunk, the consumer blocks: JCTools' {@link MpscUnboundedArrayQueue} with
 * a wake-up that cannot be lost, so that the consumer needs no periodic look and an idle actor costs nothing.
 *
 * <p><b>Progress.</b> An offer retries its compare-and-set only if another producer's succeeded; at the end of a chunk the
 * producers wait for the one that links the next. Receiving is blocking by design, and spins on a slot that a producer has
 * claimed and not yet filled.
 *
 * <p><b>The protocol</b> is Dekker's: each side publishes, then looks for what the other published.
 *
 * <pre>
 *   [P]  P1 publish the message             [C]  C1 publish itself as the waiter
 *        -- full fence --                        -- full fence --
 *        P2 read the waiter                      C2 look at the queue again
 *        P3 if there is one: take it,            C3 park, only if C2 found nothing
 *           unpark it
 * </pre>
 *
 * <p><b>Why no wake-up is lost.</b> With a full fence on both sides P2 and C2 cannot both miss: either P2 comes after C1 and
 * the producer sees the waiter, or C2 comes after P1 and the consumer sees the message. Without the fences both reads may
 * pass the writes before them, even on x86, and both may miss:
 *
 * <pre>
 *   [P]  message in the store buffer        [C]  waiter in the store buffer
 *   [P]  waiter == null: nobody to wake     [C]  queue is empty: park
 * </pre>
 *
 * <p>An unpark that comes before its park leaves a permit, so the gap between C2 and C3 is no race at all.
 *
 * <p><b>Races that remain, and are benign.</b> The consumer may find the message at C2 while a producer holds the waiter
 * that it took at P3: the late unpark makes one later park return at once, and the loop looks again. Several producers may
 * see one waiter: the compare-and-set lets one of them pay for the unpark.
 *
 * @param <E> the type of the messages
 */
public final class MpscRepairedMailbox<E> implements Mailbox<E> {

    private static final VarHandle WAITER;

    static {
        try {
            WAITER = MethodHandles.lookup().findVarHandle(MpscRepairedMailbox.class, "waiter", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MpscUnboundedArrayQueue<E> queue = new MpscUnboundedArrayQueue<>(MpscPublishedMailbox.CHUNK_SIZE);

    /** The consumer while it waits or is about to; null otherwise. Written by the consumer, cleared by either side. */
    private volatile Thread waiter;

    @Override
    public boolean offer(E message) {
        queue.offer(message);
        VarHandle.fullFence(); // pairs with the fence in announce()
        Thread consumer = waiter;
        if (consumer != null && WAITER.compareAndSet(this, consumer, null)) {
            LockSupport.unpark(consumer);
        }
        return true;
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E message = queue.poll();
        if (message != null || timeout <= 0) {
            return message;
        }
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        while ((message = announce()) == null) {
            long remaining = deadline - System.nanoTime();
            if (remaining <= 0) {
                waiter = null;
                return queue.poll();
            }
            LockSupport.parkNanos(this, remaining);
            throwIfInterrupted();
        }
        return message;
    }

    @Override
    public E take() throws InterruptedException {
        E message = queue.poll();
        if (message != null) {
            return message;
        }
        while ((message = announce()) == null) {
            LockSupport.park(this);
            throwIfInterrupted();
        }
        return message;
    }

    /** C1 and C2: makes the consumer known as the waiter, then looks at the queue again. */
    private E announce() {
        waiter = Thread.currentThread();
        VarHandle.fullFence(); // pairs with the fence in offer()
        E message = queue.poll();
        if (message != null) {
            waiter = null;
        }
        return message;
    }

    private void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            waiter = null;
            throw new InterruptedException();
        }
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        return queue.drain(sink::add, max);
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
