package perflab.mailbox.bench;

import java.util.Arrays;
import org.openjdk.jmh.infra.Blackhole;
import perflab.bench.Checks;

/**
 * What an actor does with a message: it works, and checks the message's place in its sender's order. It allocates
 * nothing.
 *
 * <p>Only the actor writes here while it is at work. The measuring thread restarts it while the actor is idle; the
 * mailbox orders that before the next message.
 */
final class Handling {

    private final String kind;
    private final int[] next;
    private final long work;
    private String disorder = "";

    /**
     * Expects each sender's messages in order, from the first.
     *
     * @param kind a sender's message in words: with a place for each of the two numbers
     * @param work per message, in tokens of JMH's Blackhole
     */
    Handling(String kind, int senders, long work) {
        this.kind = kind;
        this.next = new int[senders];
        this.work = work;
    }

    void restart() {
        Arrays.fill(next, 0);
    }

    /** A message whose sender's messages come without a gap. */
    void follow(Message message) {
        work();
        int expected = next[message.sender()]++;
        if (message.sequence() != expected && disorder.isEmpty()) {
            disorder = describe(message) + " came in place of " + expected;
        }
    }

    /** A message whose sender's messages may come with gaps: those that were refused do not come. */
    void advance(Message message) {
        work();
        int last = next[message.sender()] - 1;
        if (message.sequence() <= last && disorder.isEmpty()) {
            disorder = describe(message) + " came after " + last;
        }
        next[message.sender()] = message.sequence() + 1;
    }

    private void work() {
        if (work > 0) {
            Blackhole.consumeCPU(work);
        }
    }

    private String describe(Message message) {
        return kind.formatted(message.sender(), message.sequence());
    }

    /** Demands that no message has been out of order so far; the actor is idle. */
    void requireOrder(Checks checks, String statement) {
        checks.require(statement, disorder.isEmpty(), () -> disorder);
    }
}
