package perflab.queues;

public final class Shape {

    /** Of a queue where no soft limit is active. */
    public static final int USUAL_QUEUE_SIZE = 256;

    private static final int USUAL_LIMIT = 1024;

    private final int workers;
    private final int queueSize;
    private final int queueSizeEach;
    private final int limit;

    /**
     * Creates a shape in which every queue is equally long, and no soft limit is active.
     *
     * @param queueSize how many words may lie in a queue, at least one; a pipeline without a bounded queue ignores it
     */
    public Shape(int workers, int queueSize) {
        this(workers, queueSize, queueSize, USUAL_LIMIT);
    }

    private Shape(int workers, int queueSize, int queueSizeEach, int limit) {
        if (workers < 1 || queueSize < 1) {
            throw new IllegalArgumentException(workers + " workers, queues of " + queueSize);
        }
        this.workers = workers;
        this.queueSize = queueSize;
        this.queueSizeEach = queueSizeEach;
        this.limit = limit;
    }

    /**
     * A shape for a soft limit, by upstream's rule: full queues, and a word in each hand, are to be less than the limit.
     */
    public static Shape within(int workers, int softLimit) {
        int room = softLimit - workers - 1;
        return new Shape(workers, powerOfTwo(room), powerOfTwo(room / workers), softLimit);
    }

    public Shape withQueueSize(int words) {
        return new Shape(workers, words, words, limit);
    }

    public int workers() {
        return workers;
    }

    public int queueSize() {
        return queueSize;
    }

    /** The bound of a queue when each worker has one: less than {@link #queueSize} only where a soft limit is active. */
    public int queueSizeEach() {
        return queueSizeEach;
    }

    /** How many words may be under way where no queue holds them back. */
    public int limit() {
        return limit;
    }

    private static int powerOfTwo(int most) {
        return Math.min(USUAL_QUEUE_SIZE, Integer.highestOneBit(Math.max(1, most)));
    }
}
