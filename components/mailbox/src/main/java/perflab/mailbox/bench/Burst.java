package perflab.mailbox.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.ProcessUsage;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * Throughput: several threads send to one actor as fast as they can, a burst per repetition, timed from the senders'
 * start to the last message handled. The actor lives as long as the fork: its mailbox has grown when the samples begin,
 * as in a system that has been up for a while.
 *
 * <p>By default a burst is as long as in upstream's own benchmark, and fits into every mailbox. Longer ones fill the
 * bounded mailboxes: refusals are counted, and {@code resizable} begins to swap its queue in mid-burst.
 */
final class Burst implements Experiment {

    /** No burst takes this long; one that does has lost a message. */
    private static final long LIMIT_S = 30;

    private final Checks checks;
    private final int total;
    private final Receiver receiver;
    private final ActorSystem system;
    private final ActorRef<Message> actor;
    private final BurstSenders senders;

    Burst(Design design, Setting setting) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        int producers = parameters.getInt("producers");
        int messagesEach = parameters.getInt("messages") / producers;
        total = messagesEach * producers;
        receiver = new Receiver(new Handling("producer %d's message %d", producers, parameters.getLong("work")));
        system = design.start(Conditions.of(parameters));
        actor = system.spawn(receiver::handle);
        senders = new BurstSenders(actor, producers, messagesEach, design.tellsAtOnce());
    }

    /**
     * The actor's side. Its fields are written by the sender while the actor is idle and by the actor during the burst;
     * the mailbox and the latch order the two.
     */
    private static final class Receiver {

        private final Handling handling;
        private long expected;
        private long handled;
        private long finishedNs;
        private CountDownLatch finished;

        Receiver(Handling handling) {
            this.handling = handling;
        }

        CountDownLatch expect(long messages) {
            handling.restart();
            expected = messages;
            handled = 0;
            finished = new CountDownLatch(1);
            return finished;
        }

        void handle(Message message) {
            handling.follow(message);
            if (++handled == expected) {
                finishedNs = System.nanoTime();
                finished.countDown();
            }
        }
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        CountDownLatch finished = receiver.expect(total);
        senders.awaitReady();
        long allocatedBefore = ProcessUsage.allocatedBytes();
        long startNs = System.nanoTime();
        senders.begin();
        boolean ended = finished.await(LIMIT_S, TimeUnit.SECONDS);
        long allocated = ProcessUsage.allocatedBytes() - allocatedBefore;
        checks.require("every message arrives", ended, this::missing);
        long refused = senders.awaitEnd();
        receiver.handling.requireOrder(checks, "no message arrives twice or out of its producer's order");
        sample.add(total, receiver.finishedNs - startNs);
        sample.count("refused", refused);
        sample.count("allocated_bytes", allocated);
    }

    /** An estimate: the actor may still be at work. */
    private String missing() {
        return receiver.handled + " of " + total + " came within " + LIMIT_S + " s"
                + (actor.isAlive() ? "" : ", and the actor's thread has died");
    }

    @Override
    public void close() {
        senders.close();
        actor.close();
        system.close();
        TracedActor.requireNothingLeft(checks, actor);
    }
}
