package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a message costs in memory, from the thread's own allocation counter. */
class AllocationTest {

    private static final int ROUNDS = 100;
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    /** Bytes allocated per message, when a backlog of messages is built up and taken again, over and over. */
    private static double bytesPerMessage(Mailbox<Integer> mailbox, int backlog) throws InterruptedException {
        Integer message = 1;
        passThrough(mailbox, message, backlog, ROUNDS);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        passThrough(mailbox, message, backlog, ROUNDS);
        return (THREADS.getCurrentThreadAllocatedBytes() - before) / (double) (ROUNDS * backlog);
    }

    private static void passThrough(Mailbox<Integer> mailbox, Integer message, int backlog, int rounds)
            throws InterruptedException {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < backlog; i++) {
                assertTrue(mailbox.offer(message));
            }
            for (int i = 0; i < backlog; i++) {
                mailbox.poll(0, TimeUnit.MILLISECONDS);
            }
        }
    }

    @Test
    void theLinkedMailboxAllocatesANodePerMessage() throws InterruptedException {
        // 24 bytes with compressed class pointers, 16 with compact object headers, 32 without compressed references
        double bytes = bytesPerMessage(new LinkedMailbox<>(), 5_000);
        assertTrue(bytes >= 16 && bytes <= 33, bytes + " bytes per message");
    }

    @Test
    void theResizableMailboxAllocatesNothingOnceItHasGrown() throws InterruptedException {
        assertEquals(0, bytesPerMessage(new ResizableMailbox<>(), 5_000), 0.5);
    }

    @Test
    void theChunkedMailboxAllocatesASlotPerMessageOfABacklog() throws InterruptedException {
        // 4 bytes with compressed references, 8 without; and the chunk's header
        double bytes = bytesPerMessage(new MpscPublishedMailbox<>(), 5_000);
        assertTrue(bytes >= 4 && bytes <= 9, bytes + " bytes per message");
    }

    @Test
    void theChunkedMailboxAllocatesNothingWhileAChunkIsEnough() throws InterruptedException {
        assertEquals(0, bytesPerMessage(new MpscPublishedMailbox<>(), 100), 0.5);
    }
}
