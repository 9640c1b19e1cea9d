package perflab.mailbox.peer;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jctools.queues.MpscUnboundedXaddArrayQueue;
import perflab.mailbox.Mailbox;

/**
 * The queues for many producers and one consumer that JCTools and Agrona offer, bare, each with a consumer that idles.
 *
 * <p>The unbounded ones have the chunks of {@code mpsc-repaired} and {@code mpsc-xadd}, so that against those only the way of
 * waiting differs. The bounded ones round their capacity up to a power of two.
 */
public final class BareQueues {

    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private BareQueues() {}

    /** Producers retry a compare-and-set; chunks of 128 slots, linked as they fill. */
    public static <E> Mailbox<E> jctoolsMpsc() {
        return new IdlingMailbox<>(new MpscUnboundedArrayQueue<>(128), UNBOUNDED, new BackoffIdleStrategy());
    }

    /** Producers claim a slot by one fetch-and-add; chunks of 1024 slots, two kept for reuse. */
    public static <E> Mailbox<E> jctoolsXadd() {
        return new IdlingMailbox<>(new MpscUnboundedXaddArrayQueue<>(1024, 2), UNBOUNDED, new BackoffIdleStrategy());
    }

    /** Producers retry a compare-and-set; one array. */
    public static <E> Mailbox<E> jctoolsArray(int capacity) {
        MpscArrayQueue<E> queue = new MpscArrayQueue<>(capacity);
        return new IdlingMailbox<>(queue, queue.capacity(), new BackoffIdleStrategy());
    }

    /** With the capacity of {@code linked}. */
    public static <E> Mailbox<E> jctoolsArray() {
        return jctoolsArray(10_000);
    }

    /**
     * Producers retry a compare-and-set; one array, and producers look at a copy of the consumer's index as long as that
     * leaves room.
     */
    public static <E> Mailbox<E> agrona(int capacity) {
        ManyToOneConcurrentArrayQueue<E> queue = new ManyToOneConcurrentArrayQueue<>(capacity);
        return new IdlingMailbox<>(queue, queue.capacity(), new BackoffIdleStrategy());
    }

    /** With the capacity of {@code linked}. */
    public static <E> Mailbox<E> agrona() {
        return agrona(10_000);
    }
}
