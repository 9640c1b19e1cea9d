package perflab.mailbox.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.MailboxFactory;

class AskStyleTest {

    private static final long LIMIT_S = 20;

    private static MailboxActors linked(int capacity, AskStyle style) {
        MailboxFactory.Bounded linked = LinkedMailbox::new;
        return new MailboxActors(linked.ofCapacity(capacity), PollLoop.UNTIMED, ThreadKind.VIRTUAL, style);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedQuestionFails(AskStyle style) throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (MailboxActors system = linked(1, style);
                Asker<Integer, Integer> slow = system.spawnAnswering(n -> {
                    first.countDown();
                    awaitQuietly(goOn);
                    return n;
                })) {
            slow.ask(0);
            awaitQuietly(first);
            slow.ask(1); // fills the mailbox
            CompletableFuture<Integer> third = slow.ask(2);
            ExecutionException refused =
                    assertThrows(ExecutionException.class, () -> third.get(LIMIT_S, TimeUnit.SECONDS));
            assertInstanceOf(RefusedException.class, refused.getCause());
            goOn.countDown();
        }
    }

    /** A temporary actor that outlives its question would be a leak of one thread per ask. */
    @ParameterizedTest
    @EnumSource
    void nothingOutlivesItsQuestion(AskStyle style) throws Exception {
        MailboxActors system = linked(1_000, style);
        Asker<Integer, Integer> echo = system.spawnAnswering(n -> n);
        int before = system.liveActors();
        for (int n = 0; n < 100; n++) {
            echo.ask(n).get(LIMIT_S, TimeUnit.SECONDS);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (system.liveActors() > before && System.nanoTime() < deadline) {
            LockSupport.parkNanos(100_000);
        }
        assertEquals(before, system.liveActors());
        echo.close();
        system.close();
        assertEquals(0, system.liveActors());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
