package perflab.queues.pipelines;

/** Adds a word to a queue, waiting for room in the queue's own way. */
@FunctionalInterface
interface Put {
    void put(String word) throws InterruptedException;
}
