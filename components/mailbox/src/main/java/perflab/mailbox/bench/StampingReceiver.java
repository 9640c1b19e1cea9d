package perflab.mailbox.bench;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The actor's handler where each message's end counts: works, checks the order, and stamps the message's place in its
 * producer's journal. It allocates nothing. Gaps are no disorder: refused messages do not come.
 *
 * <p>The measuring thread resets it while the actor is idle; the mailbox orders that before the next message.
 */
final class StampingReceiver implements Consumer<Message> {

    private final List<Journal> journals;
    private final int[] lastSequence;
    private final long work;
    private String disorder = "";
    private long lastHandledNs;
    /** Written last and in order: whoever reads a count in it sees the stamps of that many messages. */
    private final AtomicLong handled = new AtomicLong();

    /**
     * Writes into one journal per producer.
     *
     * @param work per message, in tokens of JMH's Blackhole
     */
    StampingReceiver(List<Journal> journals, long work) {
        this.journals = journals;
        this.lastSequence = new int[journals.size()];
        this.work = work;
        reset();
    }

    /** Prepares for the next run. */
    void reset() {
        Arrays.fill(lastSequence, -1);
        handled.set(0);
    }

    @Override
    public void accept(Message message) {
        if (work > 0) {
            Blackhole.consumeCPU(work);
        }
        int last = lastSequence[message.producer()];
        if (message.sequence() <= last && disorder.isEmpty()) {
            disorder = "producer " + message.producer() + "'s message " + message.sequence() + " came after " + last;
        }
        lastSequence[message.producer()] = message.sequence();
        lastHandledNs = System.nanoTime();
        journals.get(message.producer()).handle(message.sequence(), lastHandledNs);
        handled.setRelease(handled.getPlain() + 1); // pairs with the acquire in handled()
    }

    /** How many messages came since the last reset. */
    long handled() {
        return handled.getAcquire();
    }

    /** When the last of the messages was handled that {@link #handled} told of. */
    long lastHandledNs() {
        return lastHandledNs;
    }

    /** The first message that came twice or out of order; empty if there was none. */
    String disorder() {
        return disorder;
    }
}
