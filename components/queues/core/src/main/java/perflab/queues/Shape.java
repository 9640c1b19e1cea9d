package perflab.queues;

/** What a run asks of a pipeline. */
public final class Shape {

    private final int workers;
    private final int queueSize;

    /**
     * Creates a shape.
     *
     * @param workers how many threads score, at least one
     * @param queueSize how many words may lie in a queue, at least one; a pipeline without a bounded queue ignores it
     */
    public Shape(int workers, int queueSize) {
        if (workers < 1 || queueSize < 1) {
            throw new IllegalArgumentException(workers + " workers, queues of " + queueSize);
        }
        this.workers = workers;
        this.queueSize = queueSize;
    }

    public int workers() {
        return workers;
    }

    public int queueSize() {
        return queueSize;
    }

    /** The bound of a queue when each worker has one: all of them together hold {@link #queueSize} words, or one each. */
    public int queueSizeEach() {
        return Math.max(1, queueSize / workers);
    }
}
