package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a wait ends with, whatever the consumer does meanwhile; how a mailbox is closed, and how it is drained. */
class WaitStrategyTest {

    private static final long LIMIT_S = 60;
    private static final long FAR_AWAY_S = 1_000_000;
    private static final int MESSAGES = 20_000;

    /** A consumer or producer on a thread of its own, which has begun. */
    private static <T> FutureTask<T> started(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static <T> T ended(FutureTask<T> task) throws Exception {
        return task.get(LIMIT_S, TimeUnit.SECONDS);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource
    void everyMessageComesInOrder(WaitStrategy strategy) throws Exception {
        BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(64, strategy);
        FutureTask<List<Integer>> consumer = started(() -> {
            List<Integer> received = new ArrayList<>();
            while (received.size() < MESSAGES) {
                received.add(mailbox.take());
                mailbox.drain(received::add, 40);
            }
            return received;
        });
        for (int i = 0; i < MESSAGES; i++) {
            assertTrue(mailbox.offer(i, LIMIT_S, TimeUnit.SECONDS));
        }
        assertEquals(numbers(0, MESSAGES), ended(consumer));
    }

    @ParameterizedTest
    @EnumSource
    void aPollEndsWithItsTime(WaitStrategy strategy) throws InterruptedException {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(strategy);
        long begun = System.nanoTime();
        assertNull(mailbox.poll(2, TimeUnit.MILLISECONDS));
        assertTrue(System.nanoTime() - begun >= TimeUnit.MILLISECONDS.toNanos(2));
        mailbox.offer(1);
        assertEquals(1, mailbox.poll(LIMIT_S, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptEndsATake(WaitStrategy strategy) throws Exception {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(strategy);
        FutureTask<Integer> take = new FutureTask<>(mailbox::take);
        Thread consumer = Thread.ofPlatform().daemon().start(take);
        consumer.interrupt();
        assertInstanceOf(
                InterruptedException.class,
                assertThrows(ExecutionException.class, () -> ended(take)).getCause());
    }

    @ParameterizedTest
    @EnumSource
    void aTakeEndsWhenTheMailboxIsClosed(WaitStrategy strategy) throws Exception {
        for (int round = 0; round < 200; round++) {
            UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(strategy);
            FutureTask<Integer> consumer = started(mailbox::take);
            mailbox.close();
            assertNull(ended(consumer));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasAcceptedBeforeItWasClosedIsReceivedAndNothingElse(WaitStrategy strategy) throws Exception {
        for (ChunkedMailbox<Integer> mailbox :
                List.of(new UnboundedMailbox<Integer>(strategy), new BoundedMailbox<Integer>(5, strategy))) {
            assertEquals(3, mailbox.offerAll(List.of(1, 2, 3)));
            assertFalse(mailbox.isClosed());
            mailbox.close();
            mailbox.close();
            assertTrue(mailbox.isClosed());
            assertFalse(mailbox.offer(4));
            assertFalse(mailbox.offer(4, FAR_AWAY_S, TimeUnit.SECONDS));
            assertEquals(0, mailbox.offerAll(List.of(4, 5)));
            assertEquals(3, mailbox.size());
            assertEquals(1, mailbox.take());
            assertEquals(2, mailbox.poll(0, TimeUnit.SECONDS));
            List<Integer> rest = new ArrayList<>();
            assertEquals(1, mailbox.drain(rest::add, 9));
            assertEquals(List.of(3), rest);
            assertEquals(0, mailbox.size());
            assertEquals(0, mailbox.drainTo(rest, 9));
            assertNull(mailbox.take());
            assertNull(mailbox.poll(FAR_AWAY_S, TimeUnit.SECONDS));
            assertNull(mailbox.poll(0, TimeUnit.SECONDS));
        }
    }

    @Test
    void producersThatWaitForRoomAreRefused() throws Exception {
        BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(1);
        mailbox.offer(1);
        List<FutureTask<Boolean>> producers = IntStream.range(0, 3)
                .mapToObj(i -> started(() -> mailbox.offer(2 + i, FAR_AWAY_S, TimeUnit.SECONDS)))
                .toList();
        mailbox.close();
        for (FutureTask<Boolean> producer : producers) {
            assertFalse(ended(producer));
        }
        assertEquals(1, mailbox.take());
        assertNull(mailbox.take());
    }

    /** Chunks of two, so that the mark stands at every place of one. */
    @Test
    void itIsClosedAtAnyEndOfAChunk() throws InterruptedException {
        for (int backlog = 0; backlog < 6; backlog++) {
            UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(-2 * Words.STEP, 2);
            mailbox.offerAll(numbers(0, backlog));
            mailbox.close();
            for (int i = 0; i < backlog; i++) {
                assertEquals(i, mailbox.take());
            }
            assertNull(mailbox.take());
        }
    }

    @Test
    void aDrainEndsWithWhatItsActionThrowsAndThatMessageIsGone() throws InterruptedException {
        BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(3);
        mailbox.offerAll(List.of(1, 2, 3));
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> mailbox.drain(
                        message -> {
                            if (message == 2) {
                                throw new IllegalStateException("two");
                            }
                        },
                        3));
        assertEquals("two", thrown.getMessage());
        assertEquals(1, mailbox.size());
        assertEquals(2, mailbox.offerAll(List.of(4, 5, 6)));
        assertEquals(3, mailbox.take());
    }

    @Test
    void aDrainMakesRoomWhileItGoesOn() {
        BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(100);
        mailbox.offerAll(numbers(0, 100));
        int[] handled = {0};
        mailbox.drain(
                message -> {
                    handled[0]++;
                    assertTrue(
                            mailbox.size() <= 100 - handled[0] + ChunkedMailbox.DRAINED_AT_ONCE, "after " + handled[0]);
                },
                100);
        assertEquals(100, handled[0]);
        assertEquals(100, mailbox.offerAll(numbers(0, 101)));
    }

    /** A wait within the action would be missed if the receives before it were not told of first. */
    @ParameterizedTest
    @EnumSource
    void theActionOfADrainMayReceiveAndIsWoken(WaitStrategy strategy) throws Exception {
        UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>(strategy);
        mailbox.offerAll(List.of(1, 2, 3));
        FutureTask<List<Integer>> consumer = started(() -> {
            List<Integer> received = new ArrayList<>();
            mailbox.drain(
                    message -> {
                        received.add(message);
                        try {
                            received.add(mailbox.take());
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    },
                    2);
            return received;
        });
        while (mailbox.size() > 0) {
            Thread.onSpinWait();
        }
        Thread.sleep(5); // so that it sleeps in most runs; it is right in either case
        mailbox.offer(4);
        assertEquals(List.of(1, 2, 3, 4), ended(consumer));
    }
}
