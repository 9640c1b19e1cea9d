package perflab.mailbox.bench;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.bench.UsageException;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * Latency: how long an idle actor takes to handle what arrives after a pause. The pause is random so that it does not
 * beat in time with the actor's poll timeout. A sample's time includes the pauses; its latencies do not.
 */
final class Wakeup implements Experiment {

    /** No wake-up takes this long; one that does has lost a message. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(90);

    private static final long IDLE_LIMIT_MS = 100;

    private final ActorSystem system;
    private final Checks checks;
    private final RandomGenerator random;
    private final int burst;
    private final boolean freshActor;
    private final long shortestGapNs;
    private final long longestGapNs;
    private final long stallNs;
    private ActorRef<Message> actor;
    private Receiver receiver;
    private int sent;

    Wakeup(Design design, Setting setting, int burst, boolean freshActor) {
        this.burst = burst;
        this.freshActor = freshActor;
        checks = setting.checks();
        random = setting.random();
        Parameters parameters = setting.parameters();
        long shortest = parameters.getLong("min-gap-us");
        long longest = parameters.getLong("max-gap-us");
        if (shortest > longest) {
            throw new UsageException(
                    "parameter 'min-gap-us' cannot be " + shortest + " when 'max-gap-us' is " + longest,
                    List.of("a whole number from 0 to " + longest));
        }
        shortestGapNs = TimeUnit.MICROSECONDS.toNanos(shortest);
        longestGapNs = TimeUnit.MICROSECONDS.toNanos(longest);
        stallNs = TimeUnit.MILLISECONDS.toNanos(parameters.getLong("stall-ms"));
        system = design.start(Conditions.of(parameters));
        startActor();
    }

    private void startActor() {
        receiver = new Receiver();
        sent = 0;
        actor = system.spawn(receiver::handle);
        // A mailbox that spins never comes to rest: its wake-ups are measured all the same.
        actor.awaitIdle(IDLE_LIMIT_MS);
    }

    /** The actor's side: checks the order, stamps the last message, wakes the sender. */
    private static final class Receiver {

        private final Thread sender = Thread.currentThread();
        private final Handling handling = new Handling("sender %d's message %d", 1, 0);
        private long handledNs;

        /** How many messages the sender waits for; written by it before it sends, so ordered by the mailbox. */
        private int expected;

        /** Written last: whoever reads the expected number in it sees everything above. */
        private volatile int handled;

        void handle(Message message) {
            handling.follow(message);
            int count = handled + 1;
            if (count == expected) {
                handledNs = System.nanoTime();
            }
            handled = count;
            if (count == expected) {
                LockSupport.unpark(sender);
            }
        }
    }

    @Override
    public void repeat(Sample sample) {
        if (freshActor && sent > 0) {
            actor.close();
            startActor();
        }
        long begun = System.nanoTime();
        Throughput.awaitTime(begun + random.nextLong(shortestGapNs, longestGapNs + 1));
        int target = sent + burst;
        receiver.expected = target;
        long sentNs = System.nanoTime();
        boolean ended = sendUpTo(target) && awaitHandled(target, sentNs);
        checks.require("every message arrives", ended, this::missing);
        receiver.handling.requireOrder(checks, "no message arrives twice or out of order");
        long latency = receiver.handledNs - sentNs;
        sample.latency(latency);
        sample.count("stalls", latency > stallNs ? 1 : 0);
        sample.add(1, receiver.handledNs - begun);
    }

    /** Sends without retrying: an idle mailbox has no reason to refuse. */
    private boolean sendUpTo(int target) {
        while (sent < target) {
            if (!actor.tell(new Message(0, sent))) {
                return false;
            }
            sent++;
        }
        return true;
    }

    private boolean awaitHandled(int target, long sentNs) {
        while (receiver.handled < target) {
            if (System.nanoTime() - sentNs > LIMIT_NS) {
                return false;
            }
            LockSupport.parkNanos(LIMIT_NS);
        }
        return true;
    }

    private String missing() {
        return receiver.handled + " handled, " + sent + " accepted"
                + (actor.isAlive() ? "" : ", and the actor's thread has died");
    }

    @Override
    public void close() {
        actor.close();
        system.close();
        TracedActor.requireNothingLeft(checks, actor);
    }
}
