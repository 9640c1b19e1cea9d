package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.mailbox.Mailbox;

/**
 * 10^9 messages from four producers through one mailbox, singly and in batches: none lost, doubled or out of order. The consumer of a
 * bounded one drains to an action, with producers that wait for the room it releases; that of an unbounded one into a collection.
 */
@Tag("stress")
class BillionMessagesTest {

    private static final int PRODUCERS = 4;
    private static final int EACH = 250_000_000;
    private static final int LARGEST_BATCH = 40;
    private static final int DRAINED_AT_ONCE = 100;
    private static final long LIMIT_S = 60;

    /** What an unbounded mailbox may run ahead by: the test's heap is small. */
    private static final int BACKLOG = 1_000_000;

    private record Message(int producer, int number) {}

    @Test
    void throughTheUnbounded() throws InterruptedException {
        passThrough(new UnboundedMailbox<>(Long.MIN_VALUE - EACH, ChunkedMailbox.LARGEST_CHUNK));
    }

    /** The default strategy is that of the other tests. */
    @ParameterizedTest
    @EnumSource(names = "ADAPTIVE", mode = EnumSource.Mode.EXCLUDE)
    void throughEachStrategy(WaitStrategy strategy) throws InterruptedException {
        passThrough(new UnboundedMailbox<>(strategy));
    }

    @Test
    void throughTheBounded() throws InterruptedException {
        passThroughBounded(new BoundedMailbox<>(-EACH, 10_000, ChunkedMailbox.LARGEST_CHUNK));
    }

    @Test
    void throughTheSmallest() throws InterruptedException {
        passThroughBounded(new BoundedMailbox<>(-EACH, 64, 8));
    }

    private static void passThroughBounded(BoundedMailbox<Message> mailbox) throws InterruptedException {
        passThrough(mailbox, batch -> mailbox.drain(batch::add, DRAINED_AT_ONCE));
    }

    private static void passThrough(UnboundedMailbox<Message> mailbox) throws InterruptedException {
        passThrough(mailbox, batch -> mailbox.drainTo(batch, DRAINED_AT_ONCE));
    }

    private static void passThrough(Mailbox<Message> mailbox, Consumer<List<Message>> drain)
            throws InterruptedException {
        List<Thread> producers = new ArrayList<>();
        for (int producer = 0; producer < PRODUCERS; producer++) {
            int number = producer;
            producers.add(Thread.ofPlatform().daemon().start(() -> send(mailbox, number)));
        }
        int[] next = new int[PRODUCERS];
        List<Message> batch = new ArrayList<>();
        long begun = System.nanoTime();
        for (long left = (long) PRODUCERS * EACH; left > 0; left -= batch.size()) {
            batch.clear();
            Message first = mailbox.poll(LIMIT_S, TimeUnit.SECONDS);
            assertTrue(first != null, left + " messages never came");
            batch.add(first);
            drain.accept(batch);
            for (Message message : batch) {
                assertEquals(next[message.producer]++, message.number, "of producer " + message.producer);
            }
        }
        System.out.printf(
                "%s: %.1f million messages per second%n",
                mailbox.getClass().getSimpleName(), PRODUCERS * EACH * 1e3 / (System.nanoTime() - begun));
        assertNull(mailbox.poll(0, TimeUnit.SECONDS));
        assertEquals(0, mailbox.size());
        for (Thread producer : producers) {
            producer.join();
        }
    }

    private static void send(Mailbox<Message> mailbox, int producer) {
        List<Message> batch = new ArrayList<>();
        int sent = 0;
        try {
            while (sent < EACH) {
                if (mailbox.size() > BACKLOG) {
                    Thread.sleep(1);
                }
                assertTrue(mailbox.offer(new Message(producer, sent++), LIMIT_S, TimeUnit.SECONDS));
                int size = Math.min(EACH - sent, sent % LARGEST_BATCH);
                batch.clear();
                for (int i = 0; i < size; i++) {
                    batch.add(new Message(producer, sent + i));
                }
                sent += mailbox.offerAll(batch);
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
