package perflab.mailbox.bench;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import perflab.bench.Checks;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * An actor, and a journal of what became of each message to it. It lives as long as the fork.
 *
 * <p>The measuring thread resets it while the actor is idle; the mailbox orders that before the next message.
 */
final class TracedActor implements AutoCloseable {

    /** Longer than any poll timeout: an actor that handles nothing for so long has lost what it accepted. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(90);

    /** So long at rest before an empty mailbox, it has too. */
    private static final long REST_LIMIT_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long CHECK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Checks checks;
    private final List<Journal> journals;
    private final Handling handling;
    private final ActorSystem system;
    private final ActorRef<Message> actor;
    private long accepted;
    private long lastHandledNs;

    /** Written last and in order: whoever reads a count in it sees the stamps of that many messages. */
    private final AtomicLong handled = new AtomicLong();

    TracedActor(Design design, Setting setting, int producers, int messagesEach) {
        checks = setting.checks();
        journals = Stream.generate(() -> new Journal(messagesEach))
                .limit(producers)
                .toList();
        long work = setting.parameters().getLong("work");
        handling = new Handling("producer %d's message %d", producers, work);
        system = design.start(Conditions.of(setting.parameters()));
        actor = system.spawn(this::handle);
    }

    /** Works, checks the order, and stamps the message's place in its producer's journal. It allocates nothing. */
    private void handle(Message message) {
        handling.advance(message);
        lastHandledNs = System.nanoTime();
        journals.get(message.sender()).handle(message.sequence(), lastHandledNs);
        handled.setRelease(handled.getPlain() + 1); // pairs with the acquires in settle()
    }

    ActorRef<Message> ref() {
        return actor;
    }

    Journal journal(int producer) {
        return journals.get(producer);
    }

    long lastHandledNs() {
        return lastHandledNs;
    }

    void reset() {
        journals.forEach(Journal::clear);
        handling.restart();
        handled.set(0);
    }

    /**
     * Waits for the actor to handle all that it has accepted, however long its backlog, and settles the account: each
     * message was either accepted and then handled once, or refused and never handled. The producers have ended.
     */
    void settle(long refused) {
        accepted = sum(Journal::accepted);
        long sent = sum(Journal::size);
        checks.require(
                "each message is either accepted or refused",
                accepted + refused == sent,
                () -> accepted + " accepted and " + refused + " refused, of " + sent);
        checks.require("every accepted message is handled", awaitHandled(), this::missing);
        handling.requireOrder(checks, "no message arrives twice or out of its producer's order");
        long uninvited = sum(Journal::handledUnaccepted);
        checks.require("no refused message is handled", uninvited == 0, () -> uninvited + " were");
        requireNoMore();
    }

    private long sum(ToLongFunction<Journal> figure) {
        return journals.stream().mapToLong(figure).sum();
    }

    private boolean awaitHandled() {
        long seen = handled.getAcquire();
        long seenNs = System.nanoTime();
        while (seen < accepted) {
            if (isHopeless(System.nanoTime() - seenNs)) {
                return false;
            }
            LockSupport.parkNanos(CHECK_NS);
            long now = handled.getAcquire();
            if (now != seen) {
                seen = now;
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
        return handled.getAcquire() + " of " + accepted + " were"
                + (actor.isAlive() ? ", and none for a while" : ", and the actor's thread has died");
    }

    private void requireNoMore() {
        checks.require(
                "no more is handled than was accepted",
                handled.getAcquire() == accepted,
                () -> handled.getAcquire() + " handled, " + accepted + " accepted");
    }

    @Override
    public void close() {
        actor.close();
        system.close();
        requireNothingLeft(checks, actor);
        requireNoMore();
    }

    static void requireNothingLeft(Checks checks, ActorRef<?> stopped) {
        stopped.backlog()
                .ifPresent(
                        left -> checks.require("nothing is left in the mailbox", left == 0, () -> left + " messages"));
    }
}
