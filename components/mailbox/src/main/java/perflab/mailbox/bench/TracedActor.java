package perflab.mailbox.bench;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import perflab.bench.Checks;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/** An actor, and a journal of what became of each message to it. It lives as long as the fork. */
final class TracedActor implements AutoCloseable {

    /** Longer than any poll timeout: an actor that handles nothing for so long has lost what it accepted. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(90);

    /** So long at rest before an empty mailbox, it has too. */
    private static final long REST_LIMIT_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long CHECK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Checks checks;
    private final List<Journal> journals;
    private final StampingReceiver receiver;
    private final ActorSystem system;
    private final ActorRef<Message> actor;
    private long accepted;

    TracedActor(ActorSystem system, Checks checks, int producers, int messagesEach, long work) {
        this.checks = checks;
        this.system = system;
        journals = IntStream.range(0, producers)
                .mapToObj(producer -> new Journal(messagesEach))
                .toList();
        receiver = new StampingReceiver(journals, work);
        actor = system.spawn(receiver);
    }

    ActorRef<Message> ref() {
        return actor;
    }

    Journal journal(int producer) {
        return journals.get(producer);
    }

    /** Prepares for the next run; the one before has been settled. */
    void reset() {
        journals.forEach(Journal::clear);
        receiver.reset();
    }

    /**
     * Waits for the actor to handle all that it has accepted, however long its backlog, and settles the account: each message
     * was either accepted and then handled once, or refused and never handled. The producers have ended.
     *
     * @param refused how many messages were given up because they were refused
     * @throws perflab.bench.ValidationException if the account is not even
     */
    void settle(long refused) {
        accepted = sum(Journal::accepted);
        long sent = sum(Journal::size);
        checks.require(
                "each message is either accepted or refused",
                accepted + refused == sent,
                () -> accepted + " accepted and " + refused + " refused, of " + sent);
        checks.require("every accepted message is handled", awaitHandled(), this::missing);
        checks.require(
                "no message arrives twice or out of its producer's order",
                receiver.disorder().isEmpty(),
                receiver::disorder);
        long uninvited = sum(Journal::handledUnaccepted);
        checks.require("no refused message is handled", uninvited == 0, () -> uninvited + " were");
        requireNoMore();
    }

    private long sum(ToLongFunction<Journal> figure) {
        return journals.stream().mapToLong(figure).sum();
    }

    private boolean awaitHandled() {
        long seen = receiver.handled();
        long seenNs = System.nanoTime();
        while (seen < accepted) {
            if (isHopeless(System.nanoTime() - seenNs)) {
                return false;
            }
            LockSupport.parkNanos(CHECK_NS);
            long handled = receiver.handled();
            if (handled != seen) {
                seen = handled;
                seenNs = System.nanoTime();
            }
        }
        return true;
    }

    private boolean isHopeless(long sinceProgressNs) {
        return !actor.isAlive()
                || sinceProgressNs > LIMIT_NS
                || sinceProgressNs > REST_LIMIT_NS && actor.backlog().orElse(1) == 0 && actor.awaitIdle(0);
    }

    private String missing() {
        return receiver.handled() + " of " + accepted + " were"
                + (actor.isAlive() ? ", and none for a while" : ", and the actor's thread has died");
    }

    private void requireNoMore() {
        checks.require(
                "no more is handled than was accepted",
                receiver.handled() == accepted,
                () -> receiver.handled() + " handled, " + accepted + " accepted");
    }

    /** When the last message was handled, after {@link #settle}. */
    long lastHandledNs() {
        return receiver.lastHandledNs();
    }

    @Override
    public void close() {
        actor.close();
        system.close();
        Leftovers.requireNone(checks, actor);
        requireNoMore();
    }
}
