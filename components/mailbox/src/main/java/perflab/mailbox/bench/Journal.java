package perflab.mailbox.bench;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * What became of each message of one producer: when it was accepted, when it was handled, in readings of
 * {@link System#nanoTime}.
 *
 * <p>The producer writes the one half and the actor the other, each into an array of its own, without allocating. Both
 * are read when sender and actor are through; {@link TracedActor#settle} is what orders the actor's writes before that.
 */
final class Journal {

    /** No run lasts the 292 years that it takes nanoTime to come here. */
    private static final long NEVER = Long.MIN_VALUE;

    private final long[] acceptedNs;
    private final long[] handledNs;

    Journal(int messages) {
        acceptedNs = new long[messages];
        handledNs = new long[messages];
        clear();
    }

    /** Forgets everything, for the next run; neither producer nor actor may be at work. */
    void clear() {
        Arrays.fill(acceptedNs, NEVER);
        Arrays.fill(handledNs, NEVER);
    }

    int size() {
        return acceptedNs.length;
    }

    void accept(int sequence, long atNs) {
        acceptedNs[sequence] = atNs;
    }

    void handle(int sequence, long atNs) {
        handledNs[sequence] = atNs;
    }

    boolean isAccepted(int sequence) {
        return acceptedNs[sequence] != NEVER;
    }

    boolean isHandled(int sequence) {
        return handledNs[sequence] != NEVER;
    }

    long acceptedNs(int sequence) {
        return acceptedNs[sequence];
    }

    long handledNs(int sequence) {
        return handledNs[sequence];
    }

    int accepted() {
        return count(this::isAccepted);
    }

    /** How many messages were handled although their producer was told that they were refused. */
    int handledUnaccepted() {
        return count(sequence -> isHandled(sequence) && !isAccepted(sequence));
    }

    private int count(IntPredicate counted) {
        return (int) IntStream.range(0, size()).filter(counted).count();
    }
}
