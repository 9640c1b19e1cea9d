package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** C5: a producer stops between its claim and its store, and the consumer waits for it. */
class StalledProducerTest {

    private static final long LIMIT_S = 20;

    /**
     * The wait disregards an interrupt and reports it at its end. Meanwhile it must not be pending: each park would return at
     * once, and the consumer would keep a processor busy that the producer may need.
     */
    @Test
    void anInterruptIsSetAsideWhileTheConsumerWaitsAndGivenBackAfterwards() throws Exception {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>();
        Chunk from = mailbox.lvTail();
        long word = mailbox.xaddClaims(Words.STEP);
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicBoolean givenBack = new AtomicBoolean();
        FutureTask<Integer> poll = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            interrupted.countDown();
            Integer message = mailbox.poll(0, TimeUnit.NANOSECONDS);
            givenBack.set(Thread.interrupted());
            return message;
        });
        Thread consumer = Thread.ofPlatform().daemon().start(poll);
        interrupted.await();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (consumer.isInterrupted()) {
            assertTrue(System.nanoTime() < deadline, "the consumer parks with an interrupt pending, so it spins");
            Thread.sleep(1);
        }
        mailbox.deliver(from, word, 7);
        assertEquals(7, poll.get(LIMIT_S, TimeUnit.SECONDS));
        assertTrue(givenBack.get(), "the interrupt was swallowed");
    }

    /** The eighth message fills the first chunk, and there is no memory for a second one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMessageIsDeliveredAlsoWhereNoFurtherChunkCanBeMade(boolean inBatch) throws Exception {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>();
        for (int i = 1; i < ChunkedMailbox.FIRST_CHUNK; i++) {
            mailbox.offer(i);
            assertEquals(i, mailbox.take());
        }
        FutureTask<Integer> take = new FutureTask<>(mailbox::take);
        Thread.ofPlatform().daemon().start(take);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (!Words.isWaiting(mailbox.lvClaims())) {
            assertTrue(System.nanoTime() < deadline, "the consumer does not go to sleep");
            Thread.sleep(1);
        }
        setLargestChunk(mailbox, -1);
        assertThrows(NegativeArraySizeException.class, () -> {
            if (inBatch) {
                mailbox.offerAll(List.of(8, 9));
            } else {
                mailbox.offer(8);
            }
        });
        assertEquals(8, take.get(LIMIT_S, TimeUnit.SECONDS));
        if (!inBatch) {
            setLargestChunk(mailbox, ChunkedMailbox.LARGEST_CHUNK);
            mailbox.offer(9);
            assertEquals(9, mailbox.take());
        }
    }

    private static void setLargestChunk(ChunkedMailbox<?> mailbox, int length) throws ReflectiveOperationException {
        Field field = ChunkedMailbox.class.getDeclaredField("largestChunk");
        field.setAccessible(true);
        field.setInt(mailbox, length);
    }
}
