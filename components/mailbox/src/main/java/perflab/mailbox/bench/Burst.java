package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.Actor;
import perflab.mailbox.actor.ThreadKind;

/**
 * One actor, and a burst to it per repetition. The actor lives as long as the fork: its mailbox has grown to its final size
 * when the samples begin, as in a system that has been up for a while.
 *
 * <p>A producer whose message is refused yields and tries again: the burst measures how fast a mailbox passes messages on,
 * and one that may drop them would win by dropping. Messages are made beforehand and reused.
 */
final class Burst implements Experiment {

    /** No burst takes this long; one that does has lost a message. */
    private static final long LIMIT_S = 30;

    private final Checks checks;
    private final List<Message[]> messagesByProducer = new ArrayList<>();
    private final int total;
    private final BurstReceiver receiver;
    private final Actor<Message> actor;

    Burst(Design design, Setting setting) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        int producers = parameters.getInt("producers");
        int each = parameters.getInt("messages") / producers;
        for (int producer = 0; producer < producers; producer++) {
            Message[] messages = new Message[each];
            for (int sequence = 0; sequence < each; sequence++) {
                messages[sequence] = new Message(producer, sequence);
            }
            messagesByProducer.add(messages);
        }
        total = each * producers;
        receiver = new BurstReceiver(producers, parameters.getLong("work"));
        actor = design.start(
                parameters.getLong(Knobs.POLL_MS), ThreadKind.named(parameters.getString(Knobs.CONSUMER)), receiver);
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        CountDownLatch finished = receiver.expect(total);
        CountDownLatch start = new CountDownLatch(1);
        LongAdder refused = new LongAdder();
        List<Thread> producers = startProducers(start, refused);

        long startNs = System.nanoTime();
        start.countDown();
        boolean ended = finished.await(LIMIT_S, TimeUnit.SECONDS);

        if (!ended) {
            producers.forEach(Thread::interrupt);
        }
        checks.require("every message arrives", ended, this::missing);
        for (Thread producer : producers) {
            producer.join();
        }
        checks.require(
                "no message arrives twice or out of its producer's order",
                receiver.disorder().isEmpty(),
                receiver::disorder);
        sample.add(total, receiver.finishedNs() - startNs);
        sample.count("refused", refused.sum());
    }

    private List<Thread> startProducers(CountDownLatch start, LongAdder refused) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(messagesByProducer.size());
        List<Thread> producers = new ArrayList<>();
        for (Message[] messages : messagesByProducer) {
            producers.add(Thread.ofPlatform().daemon().name("producer").start(() -> {
                ready.countDown();
                if (awaits(start)) {
                    refused.add(send(messages));
                }
            }));
        }
        ready.await();
        return producers;
    }

    private static boolean awaits(CountDownLatch start) {
        try {
            start.await();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Sends all messages in order and returns how many offers were refused on the way. */
    private long send(Message[] messages) {
        long refusals = 0;
        for (Message message : messages) {
            while (!actor.tell(message)) {
                refusals++;
                if (Thread.currentThread().isInterrupted()) {
                    return refusals;
                }
                Thread.yield();
            }
        }
        return refusals;
    }

    private String missing() {
        return receiver.handled() + " of " + total + " came within " + LIMIT_S + " s"
                + (actor.isAlive() ? "" : ", and the actor's thread has died");
    }

    @Override
    public void close() {
        actor.close();
        checks.require(
                "nothing is left in the mailbox",
                actor.mailbox().size() == 0,
                () -> actor.mailbox().size() + " messages");
    }
}
