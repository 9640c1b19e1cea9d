package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import perflab.mailbox.contract.Waiting;

/** The growing queue: its lock, and what goes wrong around it. */
class ResizableMailboxTest {

    private static final long LIMIT_MS = 20_000;

    private static int capacityNow(ResizableMailbox<?> mailbox) {
        return mailbox.queue().remainingCapacity() + mailbox.size();
    }

    @Test
    void itDoublesAtThreeQuartersUpToItsMaximum() {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(64, 200);
        int[] capacities = new int[200];
        for (int i = 0; i < 200; i++) {
            assertTrue(mailbox.offer(i));
            capacities[i] = capacityNow(mailbox);
        }
        assertEquals(64, capacities[47]);
        assertEquals(128, capacities[48]);
        assertEquals(128, capacities[95]);
        assertEquals(200, capacities[96]);
        assertEquals(200, capacities[199]);
    }

    @Test
    void itDoesNotShrinkWhenItIsEmptied() throws InterruptedException {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(64, 10_000);
        for (int i = 0; i < 60; i++) {
            mailbox.offer(i);
        }
        for (int i = 0; i < 60; i++) {
            assertEquals(i, mailbox.poll(0, TimeUnit.MILLISECONDS));
        }
        mailbox.offer(60);
        assertEquals(128, capacityNow(mailbox));
    }

    /** A queue from which a consumer takes everything between the two readings that make up the capacity. */
    private static final class EmptiedBetweenReadings extends ArrayBlockingQueue<Integer> {
        private static final long serialVersionUID = 1L;
        private final int left;

        EmptiedBetweenReadings(int capacity, int left) {
            super(capacity);
            this.left = left;
        }

        @Override
        public int remainingCapacity() {
            int remaining = super.remainingCapacity();
            while (remaining == 0 && size() > left) {
                poll();
            }
            return remaining;
        }
    }

    @Test
    void aTornCapacityReplacesAFullQueueByASmallerOneWithoutLosingAMessage() throws InterruptedException {
        ArrayBlockingQueue<Integer> full = new EmptiedBetweenReadings(64, 4);
        for (int i = 0; i < 64; i++) {
            full.add(i);
        }
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(full, 10_000);
        assertTrue(mailbox.offer(64));
        assertEquals(8, capacityNow(mailbox));
        for (int i = 60; i <= 64; i++) {
            assertEquals(i, mailbox.poll(0, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    void aTornCapacityOfZeroDoesNotResize() {
        ArrayBlockingQueue<Integer> full = new EmptiedBetweenReadings(2, 0);
        full.add(0);
        full.add(1);
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(full, 10_000);
        assertTrue(mailbox.offer(2));
        assertEquals(2, capacityNow(mailbox));
    }

    @Test
    void aPutIntoTheOldQueueIsLost() throws Exception {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>(4, 8);
        for (int i = 0; i < 4; i++) {
            mailbox.put(i);
        }
        try (Waiting<Void> producer = Waiting.on(() -> {
            mailbox.put(4);
            return null;
        })) {
            mailbox.offer(5);
            assertNull(producer.result(LIMIT_MS), "the put has returned: its message counts as sent");
        }
        for (int expected : new int[] {0, 1, 2, 3, 5}) {
            assertEquals(expected, mailbox.poll(0, TimeUnit.MILLISECONDS));
        }
        assertNull(mailbox.poll(100, TimeUnit.MILLISECONDS));
    }

    @Test
    void theMonitorIsOnePerMailboxSoActorsDoNotContend() throws Exception {
        ResizableMailbox<Integer> one = new ResizableMailbox<>();
        ResizableMailbox<Integer> other = new ResizableMailbox<>();
        Object monitor = Locks.get(ResizableMailbox.class, "resizeLock", one);
        Thread blocked = Thread.ofPlatform().daemon().unstarted(() -> one.offer(1));
        synchronized (monitor) {
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
    void receivingDoesNotTakeTheMonitor() throws Exception {
        ResizableMailbox<Integer> mailbox = new ResizableMailbox<>();
        mailbox.offer(1);
        synchronized (Locks.get(ResizableMailbox.class, "resizeLock", mailbox)) {
            try (Waiting<Integer> consumer = Waiting.on(mailbox::take)) {
                assertEquals(1, consumer.result(LIMIT_MS));
            }
        }
    }

    /** Counts how often the queue's lock is asked for by what runs inside the monitor. */
    private static final class CountingQueue extends ArrayBlockingQueue<Integer> {
        private static final long serialVersionUID = 1L;
        private int acquisitions;

        CountingQueue() {
            super(64);
        }

        private void count() {
            acquisitions++;
            ReentrantLock lock = Locks.of(this);
            assertTrue(!lock.isHeldByCurrentThread(), "nested: not an acquisition of its own");
        }

        @Override
        public int remainingCapacity() {
            count();
            return super.remainingCapacity();
        }

        @Override
        public int size() {
            count();
            return super.size();
        }

        @Override
        public boolean offer(Integer message) {
            count();
            return super.offer(message);
        }
    }

    @Test
    void anOfferAsksForTheQueuesLockFourTimes() {
        CountingQueue queue = new CountingQueue();
        new ResizableMailbox<>(queue, 10_000).offer(1);
        assertEquals(4, queue.acquisitions);
    }
}
