package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import perflab.mailbox.contract.Waiting;
import perflab.mailbox.peer.JctoolsBlockingMailbox;

/** The published wake-up, and why it is lost. */
class LostWakeupTest {

    /** Long enough for any wake-up that was sent, in milliseconds; the stuck tests wait this long in vain. */
    private static final long PATIENCE_MS = 1_000;

    private static final long LIMIT_MS = 20_000;

    @Test
    void aWaiterOnAConditionIsNotAQueuedThread() throws Exception {
        ReentrantLock lock = new ReentrantLock();
        Condition condition = lock.newCondition();
        try (Waiting<Void> waiting = Waiting.on(() -> {
            lock.lock();
            try {
                condition.await();
            } finally {
                lock.unlock();
            }
            return null;
        })) {
            assertFalse(lock.hasQueuedThreads());
            lock.lock();
            try {
                assertTrue(lock.hasWaiters(condition));
                condition.signal();
            } finally {
                lock.unlock();
            }
            assertNull(waiting.result(LIMIT_MS));
        }
    }

    @Test
    void thePublishedMailboxLeavesAWaitingTakeAsleep() throws Exception {
        Mailbox<String> mailbox = new MpscPublishedMailbox<>();
        try (Waiting<String> consumer = Waiting.on(mailbox::take)) {
            mailbox.offer("first");
            mailbox.offer("second");
            assertTrue(consumer.isStuckFor(PATIENCE_MS));
            assertEquals(2, mailbox.size());
        }
    }

    @Test
    void thePublishedMailboxFindsTheMessageOnlyWhenItsPollTimesOut() throws Exception {
        Mailbox<String> mailbox = new MpscPublishedMailbox<>();
        try (Waiting<Long> consumer = Waiting.on(() -> {
            long begun = System.nanoTime();
            assertEquals("message", mailbox.poll(2 * PATIENCE_MS, TimeUnit.MILLISECONDS));
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        })) {
            mailbox.offer("message");
            long waitedMs = consumer.result(LIMIT_MS);
            assertTrue(waitedMs >= 2 * PATIENCE_MS, "it came after " + waitedMs + " ms");
        }
    }

    static Mailbox<?>[] withoutTheDefect() {
        return new Mailbox<?>[] {new MpscRepairedMailbox<>(), new LinkedMailbox<>(), new JctoolsBlockingMailbox<>()};
    }

    @ParameterizedTest
    @MethodSource("withoutTheDefect")
    void othersWakeInTheSameSchedule(Mailbox<String> mailbox) throws Exception {
        try (Waiting<String> consumer = Waiting.on(mailbox::take)) {
            mailbox.offer("message");
            assertEquals("message", consumer.result(LIMIT_MS));
        }
    }

    @ParameterizedTest
    @MethodSource("withoutTheDefect")
    void othersWakeAfterABacklogOfSeveralChunks(Mailbox<String> mailbox) throws Exception {
        int backlog = 3 * MpscPublishedMailbox.CHUNK_SIZE + 2;
        for (int i = 0; i < backlog; i++) {
            mailbox.offer("filler");
        }
        for (int i = 0; i < backlog; i++) {
            assertEquals("filler", mailbox.poll(0, TimeUnit.MILLISECONDS));
        }
        othersWakeInTheSameSchedule(mailbox);
    }
}
