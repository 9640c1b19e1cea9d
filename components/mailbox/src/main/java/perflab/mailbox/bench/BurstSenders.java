package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import perflab.mailbox.actor.ActorRef;

/**
 * The threads that send a burst. They live as long as the fork, and meet the measuring thread at one barrier before
 * each burst and at another after it. The messages are made beforehand and sent again in each burst.
 *
 * <p>A refused message is tried again after a yield: a burst measures how fast a mailbox passes messages on, and one
 * that may drop them would win by dropping.
 */
final class BurstSenders implements AutoCloseable {

    private static final long READY_CHECK_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final ActorRef<Message> actor;
    private final CyclicBarrier start;
    private final CyclicBarrier end;
    private final LongAdder refused = new LongAdder();
    private final List<Thread> threads = new ArrayList<>();

    BurstSenders(ActorRef<Message> actor, int producers, int messagesEach, int atOnce) {
        this.actor = actor;
        start = new CyclicBarrier(producers + 1);
        end = new CyclicBarrier(producers + 1);
        for (int producer = 0; producer < producers; producer++) {
            Message[] messages = Message.of(producer, messagesEach);
            Sending sending = atOnce == 1 ? () -> oneByOne(messages) : inGroups(List.of(messages), atOnce);
            threads.add(Thread.ofPlatform().daemon().name("producer").start(() -> sendBursts(sending)));
        }
    }

    /** Sends all of a producer's messages in order and returns how many offers were refused on the way. */
    private interface Sending {
        long send() throws InterruptedException;
    }

    private long oneByOne(Message[] messages) throws InterruptedException {
        long refusals = 0;
        for (Message message : messages) {
            while (!actor.tell(message)) {
                refusals++;
                beforeTryingAgain();
            }
        }
        return refusals;
    }

    private Sending inGroups(List<Message> messages, int size) {
        List<List<Message>> groups = new ArrayList<>();
        for (int from = 0; from < messages.size(); from += size) {
            groups.add(messages.subList(from, Math.min(messages.size(), from + size)));
        }
        return () -> {
            long refusals = 0;
            for (List<Message> group : groups) {
                int accepted = actor.tellAll(group);
                while (accepted < group.size()) {
                    refusals++;
                    beforeTryingAgain();
                    accepted += actor.tellAll(group.subList(accepted, group.size()));
                }
            }
            return refusals;
        };
    }

    private static void beforeTryingAgain() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread.yield();
    }

    /** Waits until all senders are at the start, so that the next call to {@link #begin} lets them go at once. */
    void awaitReady() {
        while (start.getNumberWaiting() < threads.size()) {
            LockSupport.parkNanos(READY_CHECK_NS);
        }
    }

    void begin() throws InterruptedException {
        meet(start);
    }

    /** Waits for all senders to be through with the burst, and returns how many offers were refused in it. */
    long awaitEnd() throws InterruptedException {
        meet(end);
        return refused.sumThenReset();
    }

    private static void meet(CyclicBarrier barrier) throws InterruptedException {
        try {
            barrier.await();
        } catch (BrokenBarrierException e) {
            throw new IllegalStateException("a sender has died", e);
        }
    }

    private void sendBursts(Sending sending) {
        try {
            while (true) {
                start.await();
                refused.add(sending.send());
                end.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            // closed: there is no further burst
        }
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
