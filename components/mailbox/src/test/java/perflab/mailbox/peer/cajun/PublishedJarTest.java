package perflab.mailbox.peer.cajun;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cajunsystems.ActorLifecycle;
import com.cajunsystems.MailboxProcessor;
import com.cajunsystems.ResizableBlockingQueue;
import com.cajunsystems.mailbox.LinkedMailbox;
import com.cajunsystems.mailbox.MpscMailbox;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.junit.jupiter.api.Test;
import perflab.mailbox.contract.Waiting;

/** Those classes of Cajun 0.7.0 that any JVM can load. */
class PublishedJarTest {

    private static final ActorLifecycle<Integer> NO_LIFE = new ActorLifecycle<>() {
        @Override
        public void preStart() {}

        @Override
        public void receive(Integer message) {}

        @Override
        public void postStop() {}
    };

    private static final long LIMIT_MS = 20_000;

    @Test
    void theMailboxesAreMadeOfTheQueuesThatTheReportNames() throws Exception {
        assertSame(
                LinkedBlockingQueue.class, field("queue", new LinkedMailbox<>()).getClass());
        assertSame(
                MpscUnboundedArrayQueue.class,
                field("queue", new MpscMailbox<>()).getClass());
    }

    @Test
    void aLinkedMailboxHasTheBoundThatItIsGivenOrNone() {
        LinkedMailbox<Integer> bounded = new LinkedMailbox<>(2);
        assertTrue(bounded.offer(1));
        assertTrue(bounded.offer(2));
        assertFalse(bounded.offer(3));
        LinkedMailbox<Integer> unbounded = new LinkedMailbox<>();
        for (int message = 0; message < 20_000; message++) {
            assertTrue(unbounded.offer(message));
        }
    }

    /** A message is there before the poll's time is up, and the poll sleeps until it is. */
    @Test
    void anOfferToTheMpscMailboxDoesNotEndAPollThatWaits() throws Exception {
        MpscMailbox<Integer> mailbox = new MpscMailbox<>();
        try (Waiting<Integer> poll = Waiting.on(() -> mailbox.poll(LIMIT_MS, TimeUnit.MILLISECONDS))) {
            assertTrue(mailbox.offer(1));
            assertTrue(poll.isStuckFor(1_000));
            assertEquals(1, mailbox.size());
        }
    }

    @Test
    void anOfferToTheMpscMailboxPassesByItsLock() throws Exception {
        MpscMailbox<Integer> mailbox = new MpscMailbox<>();
        ReentrantLock lock = (ReentrantLock) field("lock", mailbox);
        lock.lock();
        try (Waiting<Boolean> producer = Waiting.on(() -> mailbox.offer(1))) {
            assertTrue(producer.result(LIMIT_MS));
        } finally {
            lock.unlock();
        }
    }

    @Test
    void aPollOfTheMpscMailboxTakesItsLockOnlyIfItHasToWait() throws Exception {
        MpscMailbox<Integer> mailbox = new MpscMailbox<>();
        mailbox.offer(1);
        ReentrantLock lock = (ReentrantLock) field("lock", mailbox);
        lock.lock();
        try (Waiting<Integer> first = Waiting.on(() -> mailbox.poll(1, TimeUnit.DAYS));
                Waiting<Integer> second = Waiting.on(() -> mailbox.poll(1, TimeUnit.NANOSECONDS))) {
            assertEquals(1, first.result(LIMIT_MS));
            assertTrue(lock.hasQueuedThreads(), "a poll of an empty mailbox did not ask for the lock");
            lock.unlock();
            assertNull(second.result(LIMIT_MS));
        }
    }

    @Test
    void anActorPollsForAMillisecondAndDoesNotYield() throws Exception {
        BlockingQueue<Long> pollsMs = new LinkedBlockingQueue<>();
        LinkedMailbox<Integer> empty = new LinkedMailbox<>() {
            @Override
            public Integer poll(long timeout, TimeUnit unit) throws InterruptedException {
                pollsMs.add(unit.toMillis(timeout));
                return super.poll(timeout, unit);
            }
        };
        MailboxProcessor<Integer> processor =
                new MailboxProcessor<>("actor", empty, 10, (message, error) -> {}, NO_LIFE);
        processor.start();
        try {
            assertEquals(1, pollsMs.poll(LIMIT_MS, TimeUnit.MILLISECONDS));
            assertEquals(1, pollsMs.poll(LIMIT_MS, TimeUnit.MILLISECONDS));
        } finally {
            processor.stop();
        }
        assertFalse(constantsOf(MailboxProcessor.class).contains("yield"));
    }

    /** The report's listing makes one of two numbers. */
    @SuppressWarnings("removal")
    @Test
    void aMailboxConfigIsNotMadeOfTwoCapacities() {
        List<Class<?>> configs = List.of(
                com.cajunsystems.config.MailboxConfig.class, com.cajunsystems.mailbox.config.MailboxConfig.class);
        for (Class<?> config : configs) {
            assertDoesNotThrow(() -> config.getMethod("setMaxCapacity", int.class));
            assertThrows(NoSuchMethodException.class, () -> config.getConstructor(int.class, int.class));
        }
    }

    /** The actor is never started: nobody makes room. */
    @Test
    void aTellToAFullMailboxReturnsAsIfAllWereWell() {
        LinkedMailbox<Integer> mailbox = new LinkedMailbox<>(2);
        MailboxProcessor<Integer> processor =
                new MailboxProcessor<>("actor", mailbox, 10, (message, error) -> {}, NO_LIFE);
        for (int message = 1; message <= 3; message++) {
            processor.tell(message);
        }
        assertEquals(2, mailbox.size());
        assertEquals(1, mailbox.poll());
        assertEquals(2, mailbox.poll());
        assertNull(mailbox.poll(), "the third message");
    }

    @Test
    void theGrowingQueueIsStillTheOldOneAndGivesNoWarning() throws Exception {
        ResizableBlockingQueue<Integer> queue = new ResizableBlockingQueue<>(4, 8);
        assertInstanceOf(ArrayBlockingQueue.class, field("delegate", queue));
        assertNotNull(field("resizeLock", queue));
        assertFalse(ResizableBlockingQueue.class.isAnnotationPresent(Deprecated.class));
        // whom a class calls stands in its constants
        String constants = constantsOf(ResizableBlockingQueue.class);
        assertTrue(constants.contains("ArrayBlockingQueue"));
        for (String log : new String[] {"slf4j", "java/lang/System", "LinkedMailbox", "LinkedBlockingQueue"}) {
            assertFalse(constants.contains(log), log);
        }
    }

    @Test
    void theGrowingQueuesMonitorIsOnePerQueue() throws Exception {
        ResizableBlockingQueue<Integer> one = new ResizableBlockingQueue<>(64, 10_000);
        ResizableBlockingQueue<Integer> other = new ResizableBlockingQueue<>(64, 10_000);
        Thread blocked = Thread.ofPlatform().daemon().unstarted(() -> one.offer(1));
        synchronized (field("resizeLock", one)) {
            blocked.start();
            while (blocked.getState() != Thread.State.BLOCKED) {
                assertTrue(blocked.isAlive(), "an offer passed by a monitor that another thread holds");
                Thread.sleep(1);
            }
            try (Waiting<Boolean> elsewhere = Waiting.on(() -> other.offer(1))) {
                assertTrue(elsewhere.result(LIMIT_MS));
            }
        }
        blocked.join();
        assertEquals(1, one.size());
    }

    @Test
    void aMessageEndsAPollOfTheGrowingQueueThatDoesNotGrow() throws Exception {
        ResizableBlockingQueue<Integer> queue = new ResizableBlockingQueue<>(64, 10_000);
        try (Waiting<Integer> poll = Waiting.on(() -> queue.poll(1, TimeUnit.DAYS))) {
            assertTrue(queue.offer(1));
            assertEquals(1, poll.result(LIMIT_MS));
        }
        assertEquals(64, queue.getCapacity());
    }

    private static Object field(String name, Object object) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    private static String constantsOf(Class<?> type) throws IOException {
        try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".class")) {
            return new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
