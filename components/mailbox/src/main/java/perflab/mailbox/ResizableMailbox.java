package perflab.mailbox;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * Blocking on both sides: Cajun v0.1.4's mailbox, an {@link ArrayBlockingQueue} that is replaced by one of twice the size
 * when it is three quarters full. It is not meant to shrink.
 *
 * <p>An offer takes the monitor {@code resizeLock} and, inside it, the queue's own lock four times: twice to add up the
 * capacity, once for the size, once to enqueue. The lock is this mailbox's own: producers for different actors do not
 * meet at it.
 *
 * <p><b>Weakened contract.</b> Four races come with it; they are the algorithm's, and kept.
 *
 * <p><i>The missed swap</i> is harmful. The consumer waits on a condition of the queue that it read, not of the one that replaces it.
 *
 * <pre>
 *   [C]  poll(100 ms): reads queue Q1, it is empty, waits on Q1's condition
 *   [P]  offer: Q1 gets message 1, signals Q1
 *   [P]  offer ... 49th: Q1 is three quarters full, drains it into Q2, queue = Q2
 *   [C]  wakes, Q1 is empty, waits on Q1 for the rest of the 100 ms, while every message is in Q2
 * </pre>
 *
 * <p><i>The lost put</i> is harmful. {@link #put} enqueues outside the monitor, so it can enqueue into Q1 after Q1 was drained. That
 * message is never received.
 *
 * <p><i>The torn capacity</i> is benign for delivery, harmful for speed. The capacity is the sum of two readings; what the
 * consumer takes between them is missing from it. A full queue can so look small and be "doubled" into a smaller one. No
 * message is lost, as the new queue has room for twice what the producer saw, and only the consumer changes that; but the
 * swap comes at a size at which the queue should have settled, and with it another chance to miss one.
 *
 * <p><i>The plain field</i> is benign in practice. {@code queue} is not volatile: a producer reads it inside the monitor, so sees the last swap; the consumer
 * may see an old queue for as long as the compiler likes. But its loop takes the queue's lock on each turn, and no compiler
 * moves the next turn's read above that.
 */
public final class ResizableMailbox<E> extends BlockingQueueMailbox<E> {

    private static final int INITIAL_CAPACITY = 64;
    private static final double RESIZE_AT_FILL = 0.75;
    private static final int GROWTH = 2;

    private final Object resizeLock = new Object();
    private final int maxCapacity;
    private ArrayBlockingQueue<E> queue;

    /** The size that Cajun's builder chose. */
    public ResizableMailbox() {
        this(INITIAL_CAPACITY, 10_000);
    }

    public ResizableMailbox(int initialCapacity, int maxCapacity) {
        if (initialCapacity > maxCapacity) {
            throw new IllegalArgumentException(initialCapacity + " > " + maxCapacity);
        }
        this.maxCapacity = maxCapacity;
        this.queue = new ArrayBlockingQueue<>(initialCapacity);
    }

    /** The builder's initial size, up to another bound. */
    public static <E> ResizableMailbox<E> ofCapacity(int maxCapacity) {
        return new ResizableMailbox<>(Math.min(INITIAL_CAPACITY, maxCapacity), maxCapacity);
    }

    /** Starts with a given queue, for tests that script what happens between its calls. */
    ResizableMailbox(ArrayBlockingQueue<E> queue, int maxCapacity) {
        this.maxCapacity = maxCapacity;
        this.queue = queue;
    }

    @Override
    public boolean offer(E message) {
        synchronized (resizeLock) {
            int capacity = queue.remainingCapacity() + queue.size();
            double fill = (double) queue.size() / capacity; // NaN, so no resize, if a torn capacity is zero
            if (capacity < maxCapacity && fill >= RESIZE_AT_FILL) {
                resize(Math.min(maxCapacity, capacity * GROWTH));
            }
            return queue.offer(message);
        }
    }

    /** Waits for room in the queue of the moment, which is not necessarily the one that the consumer will read. */
    public void put(E message) throws InterruptedException {
        queue.put(message);
    }

    private void resize(int capacity) {
        ArrayBlockingQueue<E> larger = new ArrayBlockingQueue<>(capacity);
        queue.drainTo(larger);
        queue = larger;
    }

    @Override
    public int capacity() {
        return maxCapacity;
    }

    @Override
    protected ArrayBlockingQueue<E> queue() {
        return queue;
    }
}
