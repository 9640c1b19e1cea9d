package perflab.mailbox.bench;

import java.util.concurrent.TimeUnit;
import perflab.mailbox.actor.ActorRef;

/** Sends a burst as fast as it can to an actor that cannot keep up, and deals with refusals as it was told to. */
final class PressingSender {

    /** An actor that makes no room for so long never will. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(30);

    private final ActorRef<Message> actor;
    private final Message[] messages;
    private final Journal journal;
    private final WhenFull whenFull;
    private long refusals;
    private long blockedNs;

    /**
     * Sends one producer's messages.
     *
     * @param journal notes when each message was accepted, just after its offer returned
     */
    PressingSender(ActorRef<Message> actor, Message[] messages, Journal journal, WhenFull whenFull) {
        this.actor = actor;
        this.messages = messages;
        this.journal = journal;
        this.whenFull = whenFull;
    }

    /**
     * How it went.
     *
     * @param refusals offers that were refused
     * @param dropped messages that were given up
     * @param blockedNs time between a message's first refusal and its acceptance, of all messages
     * @param sendingNs time of the whole burst
     */
    record Outcome(long refusals, long dropped, long blockedNs, long sendingNs) {}

    Outcome send() throws InterruptedException {
        refusals = 0;
        blockedNs = 0;
        long dropped = 0;
        long startNs = System.nanoTime();
        for (Message message : messages) {
            if (actor.tell(message) || insist(message)) {
                journal.accept(message.sequence(), System.nanoTime());
            } else {
                dropped++;
            }
        }
        return new Outcome(refusals, dropped, blockedNs, System.nanoTime() - startNs);
    }

    /** After a first refusal; false if the message is given up. */
    private boolean insist(Message message) throws InterruptedException {
        refusals++;
        if (whenFull == WhenFull.DROP) {
            return false;
        }
        long refusedNs = System.nanoTime();
        boolean accepted = false;
        while (!accepted && actor.isAlive() && System.nanoTime() - refusedNs < LIMIT_NS) {
            accepted = offerAgain(message);
            refusals += accepted ? 0 : 1;
        }
        blockedNs += System.nanoTime() - refusedNs;
        return accepted;
    }

    private boolean offerAgain(Message message) throws InterruptedException {
        if (whenFull == WhenFull.WAIT) {
            return actor.tell(message, 1, TimeUnit.SECONDS);
        }
        Thread.yield();
        return actor.tell(message);
    }
}
