package perflab.mailbox.technique;

import java.util.Queue;
import org.jctools.queues.MpmcArrayQueue;
import perflab.mailbox.technique.WrappedMailbox.Wrapper;

/** Where the wrappers of a mailbox come from, and where they go. */
public interface Wrappers {

    Wrapper take();

    /** Called by whoever has the wrapper last: the consumer, or a producer that was refused. */
    void giveBack(Wrapper wrapper);

    /** From the heap, and back to the collector. */
    static Wrappers allocated() {
        return new Wrappers() {
            @Override
            public Wrapper take() {
                return new Wrapper();
            }

            @Override
            public void giveBack(Wrapper wrapper) {
                // garbage
            }
        };
    }

    /**
     * From a pool that all threads of a mailbox share, as wrappers wander from producers to the consumer and have to come
     * back. It is a second queue per mailbox, with many producers' takes contending at it. Those beyond the pool's size are
     * garbage.
     */
    static Wrappers pooled(int size) {
        Queue<Wrapper> pool = new MpmcArrayQueue<>(size);
        return new Wrappers() {
            @Override
            public Wrapper take() {
                Wrapper pooled = pool.poll();
                return pooled != null ? pooled : new Wrapper();
            }

            @Override
            public void giveBack(Wrapper wrapper) {
                pool.offer(wrapper);
            }
        };
    }
}
