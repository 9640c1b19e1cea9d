package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import perflab.mailbox.contract.Waiting;

/**
 * A burst to an idle actor, in the one schedule that matters: the consumer is signalled, but does not get the queue's lock
 * back before the burst is over. The test thread holds that lock, which is reentrant, while it sends.
 */
class MissedSwapTest {

    private static final long PATIENCE_MS = 1_000;
    private static final long LIMIT_MS = 20_000;

    private static void sendHolding(ReentrantLock lock, Mailbox<Integer> mailbox, int messages) {
        lock.lock();
        try {
            for (int i = 0; i < messages; i++) {
                assertTrue(mailbox.offer(i));
            }
        } finally {
            lock.unlock();
        }
    }

    @Test
    void sixtyMessagesToAnIdleMailboxLeaveItsConsumerAtTheOldQueue() throws Exception {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(64, 10_000);
        ArrayBlockingQueue<Integer> old = mailbox.queue();
        try (Waiting<Integer> consumer = Waiting.on(mailbox::take)) {
            sendHolding(Locks.of(old), mailbox, 60);
            assertNotSame(old, mailbox.queue());
            assertTrue(consumer.isStuckFor(PATIENCE_MS));
            assertEquals(60, mailbox.size());
        }
    }

    @Test
    void furtherMessagesDoNotWakeItEither() throws Exception {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(64, 10_000);
        try (Waiting<Integer> consumer = Waiting.on(mailbox::take)) {
            sendHolding(Locks.of(mailbox.queue()), mailbox, 60);
            mailbox.offer(60);
            assertTrue(consumer.isStuckFor(PATIENCE_MS));
        }
    }

    @Test
    void fortyMessagesDoNotResizeAndWakeTheConsumer() throws Exception {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(64, 10_000);
        ArrayBlockingQueue<Integer> queue = mailbox.queue();
        try (Waiting<Integer> consumer = Waiting.on(mailbox::take)) {
            sendHolding(Locks.of(queue), mailbox, 40);
            assertSame(queue, mailbox.queue());
            assertEquals(0, consumer.result(LIMIT_MS));
        }
    }

    @Test
    void theLinkedMailboxWakesInTheSameSchedule() throws Exception {
        LinkedMailbox<Integer> mailbox = new LinkedMailbox<>();
        try (Waiting<Integer> consumer = Waiting.on(mailbox::take)) {
            sendHolding(Locks.takeLock(mailbox.queue()), mailbox, 60);
            assertEquals(0, consumer.result(LIMIT_MS));
        }
    }
}
