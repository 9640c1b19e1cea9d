package perflab.mailbox.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * A pause, a send, and the time until it was handled. The pause is random so that it does not beat in time with the actor's
 * poll timeout. A sample's time includes the pauses; its latencies do not.
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

    private ActorRef<Ping> actor;
    private PingReceiver receiver;
    private long sent;

    Wakeup(Design design, Setting setting, int burst, boolean freshActor) {
        this.burst = burst;
        this.freshActor = freshActor;
        checks = setting.checks();
        random = setting.random();
        Parameters parameters = setting.parameters();
        shortestGapNs = TimeUnit.MICROSECONDS.toNanos(parameters.getLong("min-gap-us"));
        longestGapNs = TimeUnit.MICROSECONDS.toNanos(parameters.getLong("max-gap-us"));
        stallNs = TimeUnit.MILLISECONDS.toNanos(parameters.getLong("stall-ms"));
        system = design.start(Conditions.of(parameters));
        startActor();
    }

    private void startActor() {
        receiver = new PingReceiver(Thread.currentThread());
        sent = 0;
        actor = system.spawn(receiver);
        // A mailbox that spins never comes to rest: its wake-ups are measured all the same.
        actor.awaitIdle(IDLE_LIMIT_MS);
    }

    @Override
    public void repeat(Sample sample) {
        if (freshActor && sent > 0) {
            actor.close();
            startActor();
        }
        long begun = System.nanoTime();
        pause(random.nextLong(shortestGapNs, longestGapNs + 1));

        long target = sent + burst;
        receiver.expect(target);
        long sentNs = System.nanoTime();
        boolean accepted = sendUpTo(target);
        boolean ended = accepted && awaitHandled(target, sentNs);

        checks.require("every message arrives", ended, this::missing);
        checks.require(
                "no message arrives twice or out of order", receiver.disorder().isEmpty(), receiver::disorder);
        long latency = receiver.handledNs() - sentNs;
        sample.latency(latency);
        sample.count("stalls", latency > stallNs ? 1 : 0);
        sample.add(1, receiver.handledNs() - begun);
    }

    /** Sends without retrying: an idle mailbox has no reason to refuse. */
    private boolean sendUpTo(long target) {
        while (sent < target) {
            if (!actor.tell(new Ping(sent))) {
                return false;
            }
            sent++;
        }
        return true;
    }

    private boolean awaitHandled(long target, long sentNs) {
        while (receiver.handled() < target) {
            if (System.nanoTime() - sentNs > LIMIT_NS) {
                return false;
            }
            LockSupport.parkNanos(LIMIT_NS);
        }
        return true;
    }

    private static void pause(long nanoseconds) {
        long end = System.nanoTime() + nanoseconds;
        for (long left = nanoseconds; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private String missing() {
        return receiver.handled() + " handled, " + sent + " accepted"
                + (actor.isAlive() ? "" : ", and the actor's thread has died");
    }

    @Override
    public void close() {
        actor.close();
        system.close();
        Leftovers.requireNone(checks, actor);
    }
}
