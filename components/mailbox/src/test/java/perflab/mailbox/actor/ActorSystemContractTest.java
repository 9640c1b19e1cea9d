package perflab.mailbox.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.lab.UnboundedMailbox;
import perflab.mailbox.peer.ChannelActors;
import perflab.mailbox.peer.DisruptorActors;
import perflab.mailbox.peer.JoxActors;
import perflab.mailbox.peer.PekkoActors;

/** What every actor system keeps, whoever made it, and in what they differ. Each of its actors has room for the messages of any test here. */
@ParameterizedClass
@EnumSource
class ActorSystemContractTest {

    static final long LIMIT_MS = 20_000;

    /** How long to wait for what must not come, in milliseconds. */
    private static final long IN_VAIN_MS = 200;

    enum Made {
        // The mailbox does not know that nobody will come.
        ASKED_BY_ACTORS(() -> linked(ThreadKind.VIRTUAL, AskStyle.TEMPORARY_ACTOR), true, false),
        ASKED_BY_PROMISES(() -> linked(ThreadKind.PLATFORM, AskStyle.PROMISE), true, false),
        ASKED_BY_A_SHARED_ACTOR(() -> linked(ThreadKind.VIRTUAL, AskStyle.SHARED_HANDLER), true, false),
        OVER_A_MAILBOX_THAT_CLOSES(
                () -> new MailboxActors(UnboundedMailbox::new, PollLoop.UNTIMED, ThreadKind.VIRTUAL, AskStyle.PROMISE),
                false,
                true),
        DISRUPTOR(() -> new DisruptorActors(10_000), true, false),
        // Dead letters: a tell says nothing, an ask sees at once that the actor is gone.
        PEKKO(PekkoActors::new, true, true),
        // The channel ends with the actor, and says so to both.
        JOX(JoxActors::new, false, true),
        KOTLIN_CHANNEL(ChannelActors::new, false, true);

        private final Supplier<ActorSystem> start;

        /** Whether a tell still returns true when the actor has ended; the message is lost either way. */
        private final boolean acceptsAfterItsEnd;

        /** Whether a question to an actor that has ended fails; otherwise its future never completes. */
        private final boolean failsQuestionsAfterItsEnd;

        Made(Supplier<ActorSystem> start, boolean acceptsAfterItsEnd, boolean failsQuestionsAfterItsEnd) {
            this.start = start;
            this.acceptsAfterItsEnd = acceptsAfterItsEnd;
            this.failsQuestionsAfterItsEnd = failsQuestionsAfterItsEnd;
        }

        private static ActorSystem linked(ThreadKind threads, AskStyle asks) {
            return new MailboxActors(LinkedMailbox::new, PollLoop.UNTIMED, threads, asks);
        }
    }

    private final Made made;
    private Set<Thread> before;
    private ActorSystem system;

    ActorSystemContractTest(Made made) {
        this.made = made;
    }

    @BeforeEach
    void startSystem() {
        before = threadsThatKeepTheJvmAlive();
        system = made.start.get();
    }

    @AfterEach
    void closeSystem() {
        system.close();
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(LIMIT_MS, TimeUnit.MILLISECONDS), latch.getCount() + " did not come");
    }

    static void eventually(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it never happened");
            Thread.sleep(1);
        }
    }

    private static Set<Thread> threadsThatKeepTheJvmAlive() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && !thread.isDaemon())
                .collect(Collectors.toSet());
    }

    private record Numbered(int sender, int sequence) {}

    /** The handler's fields are plain: what one call wrote, the next one must see. */
    @Test
    void everyMessageOfManySendersIsHandledOnceInItsSendersOrderAndOneAtATime() throws InterruptedException {
        int senders = 8;
        int each = 1_000;
        int[] next = new int[senders];
        AtomicInteger inHand = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(senders * each);
        ActorRef<Numbered> actor = system.spawn(message -> {
            boolean alone = inHand.incrementAndGet() == 1;
            boolean inOrder = next[message.sender()]++ == message.sequence();
            if (!alone || !inOrder) {
                wrong.incrementAndGet();
            }
            inHand.decrementAndGet();
            all.countDown();
        });
        for (int sender = 0; sender < senders; sender++) {
            int number = sender;
            Thread.ofPlatform().daemon().start(() -> {
                for (int sequence = 0; sequence < each; sequence++) {
                    assertTrue(actor.tell(new Numbered(number, sequence)));
                }
            });
        }
        await(all);
        Thread.sleep(IN_VAIN_MS);
        assertEquals(0, wrong.get());
        assertEquals(senders * each, IntStream.of(next).sum());
    }

    @Test
    void toldAllAtOnceTheyComeInOrder() throws InterruptedException {
        StringBuffer handled = new StringBuffer();
        CountDownLatch three = new CountDownLatch(3);
        ActorRef<String> actor = system.spawn(message -> {
            handled.append(message);
            three.countDown();
        });
        assertEquals(0, actor.tellAll(java.util.List.of()));
        assertEquals(3, actor.tellAll(java.util.List.of("a", "b", "c")));
        await(three);
        assertEquals("abc", handled.toString());
    }

    @Test
    void aClosedActorHasEndedAndHandlesNothing() throws InterruptedException {
        AtomicInteger handled = new AtomicInteger();
        ActorRef<Integer> actor = system.spawn(message -> handled.incrementAndGet());
        assertTrue(actor.isAlive());
        actor.close();
        assertFalse(actor.isAlive());
        assertEquals(made.acceptsAfterItsEnd, actor.tell(1));
        Thread.sleep(IN_VAIN_MS);
        assertEquals(0, handled.get());
    }

    @Test
    void stoppingAndClosingTwiceIsStoppingOnce() {
        ActorRef<Integer> actor = system.spawn(message -> {});
        actor.stop();
        actor.stop();
        actor.close();
        actor.close();
        assertFalse(actor.isAlive());
    }

    @Test
    void stopDoesNotWaitForTheMessageInHandAndCloseDoes() throws Exception {
        CountDownLatch inHand = new CountDownLatch(1);
        Semaphore goOn = new Semaphore(0);
        AtomicInteger handled = new AtomicInteger();
        ActorRef<Integer> actor = system.spawn(message -> {
            inHand.countDown();
            goOn.acquireUninterruptibly();
            handled.incrementAndGet();
        });
        actor.tell(1);
        await(inHand);
        actor.stop();
        assertEquals(0, handled.get());
        CompletableFuture<Void> closing = CompletableFuture.runAsync(actor::close);
        assertThrows(TimeoutException.class, () -> closing.get(IN_VAIN_MS, TimeUnit.MILLISECONDS));
        goOn.release();
        closing.get(LIMIT_MS, TimeUnit.MILLISECONDS);
        assertEquals(1, handled.get());
    }

    @Test
    void anActorWhoseHandlerThrowsEndsAndTheOthersDoNot() throws InterruptedException {
        AtomicInteger handled = new AtomicInteger();
        CountDownLatch other = new CountDownLatch(1);
        ActorRef<Integer> neighbour = system.spawn(message -> other.countDown());
        ActorRef<Integer> actor = system.spawn(message -> {
            handled.incrementAndGet();
            throw new IllegalStateException("the handler's own failure, part of this test");
        });
        actor.tell(1);
        eventually(() -> !actor.isAlive());
        assertEquals(made.acceptsAfterItsEnd, actor.tell(2));
        assertTrue(neighbour.isAlive());
        neighbour.tell(3);
        await(other);
        assertEquals(1, handled.get());
        actor.close();
    }

    @Test
    void eachQuestionGetsItsOwnAnswer() throws Exception {
        try (Asker<Integer, String> asker = system.spawnAnswering(question -> "answer to " + question)) {
            var answers = IntStream.range(0, 1_000).mapToObj(asker::ask).toList();
            for (int i = 0; i < answers.size(); i++) {
                assertEquals("answer to " + i, answers.get(i).get(LIMIT_MS, TimeUnit.MILLISECONDS));
            }
        }
    }

    @Test
    void aQuestionToAnActorThatHasEndedIsNotAnswered() {
        Asker<Integer, Integer> asker = system.spawnAnswering(question -> question);
        asker.close();
        CompletableFuture<Integer> answer = asker.ask(1);
        if (made.failsQuestionsAfterItsEnd) {
            assertThrows(ExecutionException.class, () -> answer.get(LIMIT_MS, TimeUnit.MILLISECONDS));
        } else {
            assertThrows(TimeoutException.class, () -> answer.get(IN_VAIN_MS, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    void aClosedSystemHasEndedItsActorsAndKeepsNoJvmAlive() throws InterruptedException {
        ActorRef<Integer> idle = system.spawn(message -> {});
        CountDownLatch busy = new CountDownLatch(1);
        ActorRef<Integer> used = system.spawn(message -> busy.countDown());
        used.tell(1);
        await(busy);
        system.close();
        system.close();
        assertFalse(idle.isAlive());
        assertFalse(used.isAlive());
        idle.close();
        eventually(() -> before.containsAll(threadsThatKeepTheJvmAlive()));
    }
}
