package perflab.queues.pipelines;

/** Takes the next word of a queue, waiting for it in the queue's own way. */
@FunctionalInterface
interface Take {

    /** Comes after the last word; told from a word by its identity. */
    @SuppressWarnings("StringOperationCanBeSimplified") // an object of its own is the point
    String END = new String("end");

    String take() throws InterruptedException;

    /** What a worker does: scores until the end. */
    default void drainTo(java.util.function.Consumer<String> scorer) throws InterruptedException {
        for (String word = take(); word != END; word = take()) {
            scorer.accept(word);
        }
    }
}
