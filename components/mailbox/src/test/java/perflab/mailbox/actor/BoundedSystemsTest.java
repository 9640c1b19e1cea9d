package perflab.mailbox.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.peer.DisruptorActors;

/** What a sender meets when an actor has no room left. */
class BoundedSystemsTest {

    private static final int BOUND = 4;
    private static final int MORE = 10;

    /** A handler that holds its first message until it may go on. */
    private static final class Held implements Consumer<Integer> {
        private final CountDownLatch first = new CountDownLatch(1);
        private final Semaphore goOn = new Semaphore(0);
        private final AtomicInteger handled = new AtomicInteger();

        @Override
        public void accept(Integer message) {
            first.countDown();
            if (handled.get() == 0) {
                goOn.acquireUninterruptibly();
            }
            handled.incrementAndGet();
        }
    }

    /** How many messages are accepted while the actor holds its first one; all accepted are then handled. */
    private static int acceptedBeside(ActorSystem system) throws InterruptedException {
        Held held = new Held();
        try (system) {
            ActorRef<Integer> actor = system.spawn(held);
            assertTrue(actor.tell(0));
            ActorSystemContractTest.await(held.first);
            int accepted = (int) IntStream.range(0, MORE).filter(actor::tell).count();
            held.goOn.release();
            ActorSystemContractTest.eventually(() -> held.handled.get() == 1 + accepted);
            return accepted;
        }
    }

    @Test
    void aMailboxRefusesWhatIsTooMuch() throws InterruptedException {
        MailboxFactory.Bounded bounded = LinkedMailbox::new;
        assertEquals(
                BOUND,
                acceptedBeside(new MailboxActors(
                        bounded.ofCapacity(BOUND), PollLoop.UNTIMED, ThreadKind.VIRTUAL, AskStyle.PROMISE)));
    }

    /** The slot of a message in hand is free only at its batch's end. */
    @Test
    void aRingRefusesOneEarlier() throws InterruptedException {
        assertEquals(BOUND - 1, acceptedBeside(new DisruptorActors(BOUND)));
    }

    @Test
    void aBatchThatDoesNotFitIntoTheRingGoesInPart() throws InterruptedException {
        Held held = new Held();
        try (ActorSystem system = new DisruptorActors(BOUND)) {
            ActorRef<Integer> actor = system.spawn(held);
            actor.tell(0);
            ActorSystemContractTest.await(held.first);
            assertEquals(
                    BOUND - 1, actor.tellAll(IntStream.range(0, BOUND).boxed().toList()));
            assertEquals(0, actor.tellAll(IntStream.range(0, MORE).boxed().toList()));
            held.goOn.release();
            ActorSystemContractTest.eventually(() -> held.handled.get() == BOUND);
        }
    }
}
