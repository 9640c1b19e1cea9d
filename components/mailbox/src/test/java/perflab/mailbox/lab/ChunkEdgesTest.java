package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import perflab.mailbox.Mailbox;
import perflab.mailbox.contract.Waiting;

/** One thread at the ends of chunks and tickets. */
class ChunkEdgesTest {

    private static final long LIMIT_MS = 20_000;
    private static final int ROUNDS = 100;

    private static Integer poll(Mailbox<Integer> mailbox) throws InterruptedException {
        return mailbox.poll(0, TimeUnit.NANOSECONDS);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    /** Backlogs of every size from empty to more than three chunks, over tickets that wrap around. */
    @ParameterizedTest
    @ValueSource(longs = {0, LabMailboxes.BEFORE_SIGNED_WRAPAROUND, LabMailboxes.BEFORE_UNSIGNED_WRAPAROUND})
    void everyBacklogIsReceivedInOrder(long start) throws InterruptedException {
        for (int largestChunk : new int[] {1, 2, 3, 8}) {
            for (int backlog = 1; backlog <= 3 * largestChunk + 1; backlog++) {
                passThrough(new UnboundedMailbox<>(start, largestChunk), backlog);
                passThrough(new BoundedMailbox<>(start, backlog, largestChunk), backlog);
            }
        }
    }

    private static void passThrough(Mailbox<Integer> mailbox, int backlog) throws InterruptedException {
        int next = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < backlog; i++) {
                assertTrue(mailbox.offer(next + i));
            }
            assertEquals(backlog, mailbox.size());
            for (int i = 0; i < backlog; i++) {
                assertEquals(next++, poll(mailbox));
            }
            assertNull(poll(mailbox));
            assertEquals(0, mailbox.size());
        }
    }

    @Test
    void batchesAndDrainsCrossChunks() {
        Mailbox<Integer> mailbox = new UnboundedMailbox<>(LabMailboxes.BEFORE_UNSIGNED_WRAPAROUND, 4);
        List<Integer> received = new ArrayList<>();
        int sent = 0;
        for (int size = 1; size <= 20; size++) {
            assertEquals(size, mailbox.offerAll(numbers(sent, sent + size)));
            sent += size;
            assertEquals(size - 1, mailbox.drainTo(received, size - 1));
        }
        mailbox.drainTo(received, sent);
        assertEquals(numbers(0, sent), received);
    }

    @Test
    void aBatchTakesExactlyTheRoomThereIs() throws InterruptedException {
        Mailbox<Integer> mailbox = new BoundedMailbox<>(LabMailboxes.BEFORE_SIGNED_WRAPAROUND, 5, 2);
        for (int taken = 0; taken <= 5; taken++) {
            mailbox.drainTo(new ArrayList<>(), 5);
            assertEquals(5, mailbox.offerAll(numbers(0, 9)));
            for (int i = 0; i < taken; i++) {
                assertEquals(i, poll(mailbox));
            }
            assertEquals(taken, mailbox.offerAll(numbers(5, 14)));
        }
    }

    @Test
    void aCapacityBelowOneIsRejected() {
        assertThrows(IllegalArgumentException.class, () -> new BoundedMailbox<>(0));
    }

    @Test
    void theLargestCapacityIsNoMemory() {
        Mailbox<Integer> mailbox = new BoundedMailbox<>(Integer.MAX_VALUE);
        assertEquals(3, mailbox.offerAll(List.of(1, 2, 3)));
        assertEquals(3, mailbox.size());
    }

    /** A list that grows between a mailbox's look at its size and at its elements. */
    @Test
    void aBatchIsTheListAtOneMoment() throws InterruptedException {
        Mailbox<Integer> mailbox = new UnboundedMailbox<>();
        List<Integer> growing = new AbstractList<>() {
            private int looks;

            @Override
            public Integer get(int index) {
                return index;
            }

            @Override
            public int size() {
                return Math.min(8, ++looks);
            }
        };
        int accepted = mailbox.offerAll(growing);
        for (int i = 0; i < accepted; i++) {
            assertEquals(i, poll(mailbox));
        }
        assertNull(poll(mailbox));
    }

    @Test
    void aMessageThatTheSinkRejectsStays() throws InterruptedException {
        Mailbox<Integer> mailbox = new BoundedMailbox<>(3);
        mailbox.offerAll(List.of(1, 2, 3));
        Collection<Integer> sink = new ArrayList<>() {
            @Override
            public boolean add(Integer message) {
                if (message == 2) {
                    throw new IllegalStateException("full");
                }
                return super.add(message);
            }
        };
        assertThrows(IllegalStateException.class, () -> mailbox.drainTo(sink, 3));
        assertEquals(2, mailbox.size());
        assertEquals(2, poll(mailbox));
        assertEquals(3, poll(mailbox));
    }

    /** A claimed slot that is not filled: what a producer has done when it stalls. */
    @Test
    void aStalledProducerHoldsUpAPollAndNotADrain() throws Exception {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(0, 2);
        Chunk from = mailbox.lvTail();
        long word = mailbox.xaddClaims(Words.STEP);
        mailbox.offer(2);
        assertEquals(0, mailbox.drainTo(new ArrayList<>(), 9));
        try (Waiting<Integer> consumer = Waiting.on(() -> poll(mailbox))) {
            assertTrue(consumer.isStuckFor(50));
            mailbox.deliver(from, word, 1);
            assertEquals(1, consumer.result(LIMIT_MS));
        }
        assertEquals(2, poll(mailbox));
    }

    /** It has read the tail, and while it stalls others fill and the consumer empties chunk after chunk. */
    @Test
    void aProducerWhoseChunkWasPassedFindsTheWayToItsOwn() throws InterruptedException {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(-4 * Words.STEP, 2);
        Chunk from = mailbox.lvTail();
        for (int i = 0; i < 9; i++) {
            mailbox.offer(i);
            assertEquals(i, poll(mailbox));
        }
        long word = mailbox.xaddClaims(Words.STEP);
        mailbox.offer(10);
        mailbox.deliver(from, word, 9);
        assertEquals(9, poll(mailbox));
        assertEquals(10, poll(mailbox));
    }
}
