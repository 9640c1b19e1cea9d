package perflab.mailbox.bench;

import java.util.concurrent.TimeUnit;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;

/**
 * Overload: a burst that is longer than any bound, to an actor slower than its sender, which is the measuring thread;
 * timed until the last message is handled. A mailbox may refuse, or let the sender wait, or take everything and make
 * the messages wait instead; it may not lose any.
 *
 * <p>The defaults are what was done to upstream's after-state: 50,000 messages to a slow actor. Its {@code tell}
 * ignores the mailbox's refusal, so that 40,000 of them were gone without a trace. Here each refusal is counted, and a
 * run in which an accepted message is not handled has no figures at all.
 *
 * <p>{@code blocked} is the time between a refusal and the acceptance. A system whose {@code tell} waits by itself
 * refuses nothing, and shows that time in {@code sending} only.
 *
 * <p>Delays compare only among those who refused as much: a short queue that drops its messages has short delays.
 */
final class Backpressure implements Experiment {

    /** An actor that makes no room for so long never will. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);

    private final Checks checks;
    private final Message[] messages;
    private final WhenFull whenFull;
    private final TracedActor actor;
    private final ActorRef<Message> ref;
    private final Journal journal;
    private long refusals;
    private long blockedNs;

    /** What a sender does about a message that a full mailbox refused. */
    enum WhenFull {
        /** Goes on to the next message: what comes of the report's {@code tell}, which ignores the mailbox's answer. */
        DROP,
        /** Yields its processor and offers the message again, until it is accepted. */
        RETRY,
        /** Uses the mailbox's offer that waits for room. */
        WAIT
    }

    Backpressure(Design design, Setting setting) {
        checks = setting.checks();
        messages = Message.of(0, setting.parameters().getInt("messages"));
        whenFull = setting.parameters().getEnum("when-full", WhenFull.class);
        actor = new TracedActor(design, setting, 1, messages.length);
        ref = actor.ref();
        journal = actor.journal(0);
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        actor.reset();
        refusals = 0;
        blockedNs = 0;
        long startNs = System.nanoTime();
        long dropped = send();
        long sendingNs = System.nanoTime() - startNs;
        checks.require(
                "a message is given up only where that was asked for",
                dropped == 0 || whenFull == WhenFull.DROP,
                () -> dropped + " found no room");
        actor.settle(dropped);
        sample.add(messages.length, actor.lastHandledNs() - startNs);
        sample.count("refused", refusals);
        sample.count("dropped", dropped);
        sample.count("handled", messages.length - dropped);
        sample.count("sending_ns", sendingNs);
        sample.count("blocked_ns", blockedNs);
        sample.count("largest_backlog", journal.largestBacklog());
        for (int sequence = 0; sequence < messages.length; sequence++) {
            if (journal.isHandled(sequence)) {
                sample.latency(journal.handledNs(sequence) - journal.acceptedNs(sequence));
            }
        }
    }

    /** Returns how many messages were given up. Each accepted one is noted just after its offer returned. */
    private long send() throws InterruptedException {
        long dropped = 0;
        for (Message message : messages) {
            if (ref.tell(message) || insist(message)) {
                journal.accept(message.sequence(), System.nanoTime());
            } else {
                dropped++;
            }
        }
        return dropped;
    }

    /** After a first refusal; false if the message is given up. */
    private boolean insist(Message message) throws InterruptedException {
        refusals++;
        if (whenFull == WhenFull.DROP) {
            return false;
        }
        long refusedNs = System.nanoTime();
        boolean accepted = false;
        while (!accepted && ref.isAlive() && System.nanoTime() - refusedNs < LIMIT_NS) {
            accepted = offerAgain(message);
            refusals += accepted ? 0 : 1;
        }
        blockedNs += System.nanoTime() - refusedNs;
        return accepted;
    }

    private boolean offerAgain(Message message) throws InterruptedException {
        if (whenFull == WhenFull.WAIT) {
            return ref.tell(message, 1, TimeUnit.SECONDS);
        }
        Thread.yield();
        return ref.tell(message);
    }

    @Override
    public void close() {
        actor.close();
    }
}
