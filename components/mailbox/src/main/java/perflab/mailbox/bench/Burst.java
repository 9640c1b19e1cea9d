package perflab.mailbox.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * One actor, and a burst to it per repetition, timed from the senders' start to the last message handled. The actor lives as
 * long as the fork: its mailbox has grown when the samples begin, as in a system that has been up for a while.
 */
final class Burst implements Experiment {

    /** No burst takes this long; one that does has lost a message. */
    private static final long LIMIT_S = 30;

    private final Checks checks;
    private final int total;
    private final BurstReceiver receiver;
    private final ActorSystem system;
    private final ActorRef<Message> actor;
    private final BurstSenders senders;

    Burst(Design design, Setting setting) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        int producers = parameters.getInt("producers");
        int messagesEach = parameters.getInt("messages") / producers;
        total = messagesEach * producers;
        receiver = new BurstReceiver(producers, parameters.getLong("work"));
        system = design.start(Conditions.of(parameters));
        actor = system.spawn(receiver);
        senders = new BurstSenders(actor, producers, messagesEach, design.tellsAtOnce());
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        CountDownLatch finished = receiver.expect(total);
        senders.awaitReady();

        long allocatedBefore = Allocation.bytes();
        long startNs = System.nanoTime();
        senders.begin();
        boolean ended = finished.await(LIMIT_S, TimeUnit.SECONDS);

        long allocated = Allocation.bytes() - allocatedBefore;
        checks.require("every message arrives", ended, this::missing);
        long refused = senders.awaitEnd();
        checks.require(
                "no message arrives twice or out of its producer's order",
                receiver.disorder().isEmpty(),
                receiver::disorder);
        sample.add(total, receiver.finishedNs() - startNs);
        sample.count("refused", refused);
        sample.count("allocated_bytes", allocated);
    }

    private String missing() {
        return receiver.handled() + " of " + total + " came within " + LIMIT_S + " s"
                + (actor.isAlive() ? "" : ", and the actor's thread has died");
    }

    @Override
    public void close() {
        senders.close();
        actor.close();
        system.close();
        Leftovers.requireNone(checks, actor);
    }
}
