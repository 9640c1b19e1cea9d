package perflab.mailbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The consumer's side of a mailbox whose wake-up cannot be lost, so that the consumer needs no periodic look and an idle
 * actor costs nothing. The queue is the subclass's.
 *
 * <p><b>Progress.</b> Receiving is blocking by design. Waking the consumer never blocks a producer.
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
 */
abstract class ParkingMailbox<E> implements Mailbox<E> {

    private static final VarHandle WAITER;

    static {
        try {
            WAITER = MethodHandles.lookup().findVarHandle(ParkingMailbox.class, "waiter", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The consumer while it waits or is about to; null otherwise. Written by the consumer, cleared by either side. */
    private volatile Thread waiter;

    /** C2: the oldest message, or null only if no producer has passed P1; reads what P1 wrote with volatile semantics. */
    abstract E next();

    /** P2 and P3. The subclass owes the full fence between its P1 and this call; it pairs with the one in announce(). */
    final void wakeConsumer() {
        Thread consumer = waiter;
        if (consumer != null && WAITER.compareAndSet(this, consumer, null)) {
            LockSupport.unpark(consumer);
        }
    }

    @Override
    public final E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E message = next();
        if (message != null || timeout <= 0) {
            return message;
        }
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        throwIfInterrupted();
        while ((message = announce()) == null) {
            long remaining = deadline - System.nanoTime();
            if (remaining <= 0) {
                waiter = null;
                return null;
            }
            LockSupport.parkNanos(this, remaining);
            throwIfInterrupted();
        }
        return message;
    }

    @Override
    public final E take() throws InterruptedException {
        E message = next();
        if (message != null) {
            return message;
        }
        throwIfInterrupted();
        while ((message = announce()) == null) {
            LockSupport.park(this);
            throwIfInterrupted();
        }
        return message;
    }

    /** C1 and C2: a message, or null with this thread left as the waiter. */
    final E announce() {
        waiter = Thread.currentThread();
        VarHandle.fullFence(); // pairs with the fence before wakeConsumer()
        E message = next();
        if (message != null) {
            waiter = null;
        }
        return message;
    }

    /** Whether a consumer counts on being woken; for the stress tests, which stop before C3. */
    final boolean isAnnounced() {
        return waiter != null;
    }

    private void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            waiter = null;
            throw new InterruptedException();
        }
    }

    @Override
    public final int drainTo(Collection<? super E> sink, int max) {
        int moved = 0;
        for (E message; moved < max && (message = next()) != null; moved++) {
            sink.add(message);
        }
        return moved;
    }

    @Override
    public final int capacity() {
        return Integer.MAX_VALUE;
    }
}
