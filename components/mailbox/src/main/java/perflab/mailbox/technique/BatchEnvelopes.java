package perflab.mailbox.technique;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import perflab.mailbox.Mailbox;

/**
 * "Batch message API": several messages travel as one. A batch is an array that takes one place in the mailbox around which
 * this is; the consumer unpacks it.
 *
 * <p><b>Delivery.</b> A batch is accepted or refused as a whole, and keeps its producer's order, as one message does.
 *
 * <p><b>Weakened contract.</b> Size and capacity count a batch as one until the consumer has begun with it.
 */
public final class BatchEnvelopes<E> implements Mailbox<E> {

    private final Mailbox<Object> mailbox;

    /** The batch in the consumer's hands and how many it has taken from it; plain, as only the consumer writes them. */
    private Object[] open = {};

    private int taken;

    public BatchEnvelopes(Mailbox<Object> mailbox) {
        this.mailbox = mailbox;
    }

    private record Batch(Object[] messages) {}

    @Override
    public boolean offer(E message) {
        return mailbox.offer(message);
    }

    @Override
    public int offerAll(List<? extends E> messages) {
        // toArray() copies, so that the producer may use its list again.
        Object[] copy = messages.toArray();
        for (Object message : copy) {
            if (message == null) {
                throw new NullPointerException("a batch with a null in it");
            }
        }
        return copy.length == 0 || !mailbox.offer(new Batch(copy)) ? 0 : copy.length;
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E next = fromOpenBatch();
        return next != null ? next : unpack(mailbox.poll(timeout, unit));
    }

    @Override
    public E take() throws InterruptedException {
        E next = fromOpenBatch();
        return next != null ? next : unpack(mailbox.take());
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        int moved = 0;
        while (moved < max) {
            E next = fromOpenBatch();
            if (next == null) {
                next = unpack(withoutWaiting());
            }
            if (next == null) {
                break;
            }
            sink.add(next);
            moved++;
        }
        return moved;
    }

    private Object withoutWaiting() {
        try {
            return mailbox.poll(0, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            // A queue may answer to an interrupt even where there is nothing to wait for. The next wait will see it.
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @SuppressWarnings("unchecked") // what goes in is an E or a batch of such
    private E unpack(Object received) {
        if (received instanceof Batch batch) {
            open = batch.messages();
            taken = 0;
            return fromOpenBatch();
        }
        return (E) received;
    }

    @SuppressWarnings("unchecked") // as above
    private E fromOpenBatch() {
        return taken < open.length ? (E) open[taken++] : null;
    }

    @Override
    public int size() {
        return open.length - taken + mailbox.size();
    }

    @Override
    public int capacity() {
        return mailbox.capacity();
    }
}
