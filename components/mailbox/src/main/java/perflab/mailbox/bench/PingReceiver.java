package perflab.mailbox.bench;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The actor's handler in a wake-up: checks the order, stamps the last message, wakes the sender. */
final class PingReceiver implements Consumer<Ping> {

    private final Thread sender;
    private long next;
    private String disorder = "";
    private long handledNs;
    /** How many messages the sender waits for; written by it before it sends, so ordered by the mailbox. */
    private long expected;
    /** Written last: whoever reads the expected number in it sees everything above. */
    private volatile long handled;

    PingReceiver(Thread sender) {
        this.sender = sender;
    }

    void expect(long messagesInAll) {
        expected = messagesInAll;
    }

    @Override
    public void accept(Ping ping) {
        if (ping.number() != next && disorder.isEmpty()) {
            disorder = "message " + ping.number() + " came in place of " + next;
        }
        next++;
        if (next == expected) {
            handledNs = System.nanoTime();
        }
        handled = next;
        if (next == expected) {
            LockSupport.unpark(sender);
        }
    }

    long handled() {
        return handled;
    }

    long handledNs() {
        return handledNs;
    }

    /** The first message out of order; empty if there was none. */
    String disorder() {
        return disorder;
    }
}
