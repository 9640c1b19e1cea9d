package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Lincheck explores the schedules of the two announcements. A park may end by itself in its model, so a test that parks would hide a
 * lost wake-up: {@link #announceToTwo} and {@link #announceToConsumer} stop short of the park, and compare what both sides then
 * believe. {@link #deliverWithRoomForOne} parks on both sides, and so tells what is delivered, but not that nobody sleeps for
 * good: that is asked of real parks, in {@code WaitStress.OfferToFull} of the stress tests.
 */
class ModelCheckedWakeupTest {

    private static final int SCHEDULES = 300;
    private static final int MANY_SCHEDULES = 20_000;
    private static final long FAR_AWAY_S = 1_000_000;

    private interface Body {
        void run() throws InterruptedException;
    }

    private static void explore(int schedules, Body body) {
        Lincheck.runConcurrentTest(schedules, () -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static Thread start(Runnable body) {
        Thread thread = new Thread(body);
        thread.start();
        return thread;
    }

    /** P1 of two producers against C2: who goes to sleep has exactly one producer that sees the flag and has its ticket. */
    private static void announceToTwo() throws InterruptedException {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(-Words.STEP, 1);
        AtomicInteger wakers = new AtomicInteger();
        Runnable claim = () -> {
            long word = mailbox.xaddClaims(Words.STEP);
            if (Words.isWaiting(word) && Words.ticketOf(word) == Words.ticketOf(mailbox.lvTaken())) {
                wakers.incrementAndGet();
            }
        };
        Thread one = start(claim);
        Thread two = start(claim);
        boolean asleep = mailbox.announce(mailbox.nextTicket());
        one.join();
        two.join();
        assertEquals(asleep ? 1 : 0, wakers.get());
    }

    /** W1 and W2 against R1: a producer that is about to wait is known to the consumer that makes room after that. */
    private static void announceToConsumer() throws InterruptedException {
        BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(-Words.STEP, 1, 1);
        mailbox.offer(1);
        AtomicBoolean waits = new AtomicBoolean();
        Thread producer = start(() -> waits.set(mailbox.announceProducer()));
        boolean known = Words.isWaiting(mailbox.xaddTaken(Words.STEP));
        producer.join();
        assertEquals(waits.get(), known);
    }

    /** A producer that finds no room for its second message, maybe not for its third: what comes, and in which order. */
    private static void deliverWithRoomForOne() throws InterruptedException {
        BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(-Words.STEP, 1, 1);
        Thread producer = start(() -> {
            try {
                for (int i = 0; i < 3; i++) {
                    assertTrue(mailbox.offer(i, FAR_AWAY_S, TimeUnit.SECONDS));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        List<Integer> received = new ArrayList<>();
        while (received.size() < 3) {
            received.add(mailbox.take());
        }
        producer.join();
        assertEquals(List.of(0, 1, 2), received);
    }

    @Test
    void aSleepingConsumerHasOneProducerToWakeIt() {
        explore(SCHEDULES, ModelCheckedWakeupTest::announceToTwo);
    }

    @Test
    void aWaitingProducerIsKnownToTheConsumer() {
        explore(SCHEDULES, ModelCheckedWakeupTest::announceToConsumer);
    }

    @Test
    void deliversWithRoomForOne() {
        explore(SCHEDULES, ModelCheckedWakeupTest::deliverWithRoomForOne);
    }

    @Tag("stress")
    @Test
    void theSameInManySchedules() {
        explore(MANY_SCHEDULES, ModelCheckedWakeupTest::announceToTwo);
        explore(MANY_SCHEDULES, ModelCheckedWakeupTest::announceToConsumer);
        explore(MANY_SCHEDULES, ModelCheckedWakeupTest::deliverWithRoomForOne);
    }

    /** The control: the same, but the consumer looks, and then announces itself without looking again. */
    @Test
    void aLookBeforeTheAnnouncementIsFoundToBeTooEarly() {
        Throwable found = assertThrows(
                Throwable.class,
                () -> explore(SCHEDULES, () -> {
                    UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>();
                    AtomicBoolean wakes = new AtomicBoolean();
                    Thread producer = start(() -> wakes.set(Words.isWaiting(mailbox.xaddClaims(Words.STEP))));
                    boolean asleep = mailbox.lvClaims() == mailbox.nextTicket();
                    if (asleep) {
                        mailbox.xaddClaims(Words.WAITING);
                    }
                    producer.join();
                    assertEquals(asleep, wakes.get());
                }));
        assertTrue(found.getMessage().contains("Concurrent test failed"), found.getMessage());
    }
}
