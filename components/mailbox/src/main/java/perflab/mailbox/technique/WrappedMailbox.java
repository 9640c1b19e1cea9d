package perflab.mailbox.technique;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import perflab.mailbox.Mailbox;

/**
 * Each message travels in a wrapper, as in systems that add a sender or a deadline to it. "Message wrapper pooling" is about
 * where the wrappers come from: {@link Wrappers} has both answers.
 */
public final class WrappedMailbox<E> implements Mailbox<E> {

    private final Mailbox<Wrapper> mailbox;
    private final Wrappers wrappers;
    private final List<Wrapper> drained = new ArrayList<>();

    public WrappedMailbox(Mailbox<Wrapper> mailbox, Wrappers wrappers) {
        this.mailbox = mailbox;
        this.wrappers = wrappers;
    }

    @Override
    public boolean offer(E message) {
        if (message == null) {
            throw new NullPointerException("message");
        }
        Wrapper wrapper = wrappers.take();
        // Plain: the mailbox publishes it with the wrapper, and nobody else has the wrapper.
        wrapper.message = message;
        if (mailbox.offer(wrapper)) {
            return true;
        }
        wrapper.message = null;
        wrappers.giveBack(wrapper);
        return false;
    }

    @Override
    public E poll(long timeout, TimeUnit unit) throws InterruptedException {
        return unwrap(mailbox.poll(timeout, unit));
    }

    @Override
    public E take() throws InterruptedException {
        return unwrap(mailbox.take());
    }

    @SuppressWarnings("unchecked") // offer() put an E into it
    private E unwrap(Wrapper wrapper) {
        if (wrapper == null) {
            return null;
        }
        Object message = wrapper.message;
        // Cleared first: once it is given back, a producer may fill it again.
        wrapper.message = null;
        wrappers.giveBack(wrapper);
        return (E) message;
    }

    @Override
    public int drainTo(Collection<? super E> sink, int max) {
        int moved = mailbox.drainTo(drained, max);
        drained.forEach(wrapper -> sink.add(unwrap(wrapper)));
        drained.clear();
        return moved;
    }

    @Override
    public int size() {
        return mailbox.size();
    }

    @Override
    public int capacity() {
        return mailbox.capacity();
    }

    public static final class Wrapper {

        private Object message;

        Wrapper() {}
    }
}
