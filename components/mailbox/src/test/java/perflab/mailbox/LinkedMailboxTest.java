package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import perflab.mailbox.contract.Waiting;

/** What LinkedBlockingQueue locks; the report speaks of a lock-free fast path, and of sides that never meet. */
class LinkedMailboxTest {

    private static final long LIMIT_MS = 20_000;

    private final LinkedMailbox<Integer> mailbox = new LinkedMailbox<>();
    private final LinkedBlockingQueue<Integer> queue = mailbox.queue();

    private void assertOfferQueuesAt(ReentrantLock lock) throws Exception {
        lock.lock();
        try (Waiting<Boolean> producer = Waiting.on(() -> mailbox.offer(1))) {
            assertTrue(lock.hasQueuedThreads(), "the offer did not ask for the lock");
            lock.unlock();
            assertTrue(producer.result(LIMIT_MS));
        }
    }

    @Test
    void anOfferTakesThePutLock() throws Exception {
        assertOfferQueuesAt(Locks.putLock(queue));
    }

    @Test
    void anOfferToAnEmptyQueueTakesTheTakeLockToo() throws Exception {
        assertOfferQueuesAt(Locks.takeLock(queue));
    }

    @Test
    void aPollFromAFullQueueTakesThePutLockToo() throws Exception {
        LinkedMailbox<Integer> full = new LinkedMailbox<>(1);
        full.offer(1);
        ReentrantLock putLock = Locks.putLock(full.queue());
        putLock.lock();
        try (Waiting<Integer> consumer = Waiting.on(full::take)) {
            assertTrue(putLock.hasQueuedThreads(), "the consumer did not ask for the producers' lock");
            putLock.unlock();
            assertEquals(1, consumer.result(LIMIT_MS));
        }
    }

    @Test
    void anOfferToANonEmptyQueueLeavesTheTakeLockAlone() throws Exception {
        mailbox.offer(0);
        ReentrantLock takeLock = Locks.takeLock(queue);
        takeLock.lock();
        try (Waiting<Boolean> producer = Waiting.on(() -> mailbox.offer(1))) {
            assertTrue(producer.result(LIMIT_MS));
        } finally {
            takeLock.unlock();
        }
    }

    @Test
    void noMethodOfTheQueueTakesAMonitor() {
        StringWriter printed = new StringWriter();
        PrintWriter out = new PrintWriter(printed);
        ToolProvider.findFirst("javap").orElseThrow().run(out, out, "-c", "-p", LinkedBlockingQueue.class.getName());
        String code = printed.toString();
        assertTrue(code.contains("putLock"), code);
        assertFalse(code.contains("monitorenter"));
        assertFalse(code.contains(" synchronized "));
    }
}
