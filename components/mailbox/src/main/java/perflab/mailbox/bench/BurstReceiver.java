package perflab.mailbox.bench;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The actor's handler in a burst: works, checks the order, and stamps the end.
 *
 * <p>Its fields are written by the sender while the actor is idle and by the actor during the burst; the mailbox and the
 * latch order the two.
 */
final class BurstReceiver implements Consumer<Message> {

    private final int[] nextSequence;
    private final long work;
    private long expected;
    private long handled;
    private String disorder = "";
    private long finishedNs;
    private CountDownLatch finished = new CountDownLatch(0);

    BurstReceiver(int producers, long work) {
        this.nextSequence = new int[producers];
        this.work = work;
    }

    /** Prepares for the next burst. */
    CountDownLatch expect(long messages) {
        java.util.Arrays.fill(nextSequence, 0);
        expected = messages;
        handled = 0;
        finished = new CountDownLatch(1);
        return finished;
    }

    @Override
    public void accept(Message message) {
        if (work > 0) {
            Blackhole.consumeCPU(work);
        }
        int next = nextSequence[message.producer()]++;
        if (message.sequence() != next && disorder.isEmpty()) {
            disorder =
                    "producer " + message.producer() + "'s message " + message.sequence() + " came in place of " + next;
        }
        if (++handled == expected) {
            finishedNs = System.nanoTime();
            finished.countDown();
        }
    }

    long finishedNs() {
        return finishedNs;
    }

    /** How many messages came; read after a burst that did not end, it is an estimate. */
    long handled() {
        return handled;
    }

    /** The first message out of order; empty if there was none. */
    String disorder() {
        return disorder;
    }
}
