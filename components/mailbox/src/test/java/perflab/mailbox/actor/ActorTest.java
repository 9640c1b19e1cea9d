package perflab.mailbox.actor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.Mailbox;

class ActorTest {

    private static final long LIMIT_MS = 20_000;
    private static final PollLoop LOOP = new PollLoop(1, false);

    private static MailboxActors linked(PollLoop loop, ThreadKind threads) {
        return new MailboxActors(LinkedMailbox::new, loop, threads, AskStyle.PROMISE);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(LIMIT_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadKind.class)
    void closingEndsAnActorThatWaitsWithoutLimit(ThreadKind kind) {
        MailboxActors system = linked(PollLoop.UNTIMED, kind);
        ActorRef<Integer> actor = system.spawn(message -> {});
        assertTrue(actor.awaitIdle(LIMIT_MS));
        system.close();
        assertFalse(actor.isAlive());
        assertEquals(0, system.liveActors());
    }

    /** Upstream's tell drops the answer that this one returns; then these messages are gone without a trace. */
    @Test
    void aFullMailboxRefusesAndTheActorNeverLearnsOfTheMessage() {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        ActorRef<Integer> actor = linked(LOOP, ThreadKind.PLATFORM).spawn(message -> {
            first.countDown();
            await(goOn);
            handled.incrementAndGet();
        });
        actor.tell(0);
        await(first);
        int accepted = 1;
        for (int i = 1; i < 50_000; i++) {
            accepted += actor.tell(i) ? 1 : 0;
        }
        goOn.countDown();
        while (actor.backlog().getAsInt() > 0) {
            Thread.onSpinWait();
        }
        actor.close();
        assertEquals(10_001, accepted);
        assertEquals(accepted, handled.get());
    }

    /** Notes how the loop asks for messages. */
    private static final class Noting implements Mailbox<Integer> {
        private final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();

        @Override
        public boolean offer(Integer message) {
            return queue.offer(message);
        }

        @Override
        public Integer poll(long timeout, TimeUnit unit) throws InterruptedException {
            calls.add("poll " + unit.toMillis(timeout));
            return queue.poll(timeout, unit);
        }

        @Override
        public Integer take() throws InterruptedException {
            calls.add("take");
            return queue.take();
        }

        @Override
        public int drainTo(Collection<? super Integer> sink, int max) {
            calls.add("drainTo " + max);
            return queue.drainTo(sink, max);
        }

        @Override
        public int size() {
            return queue.size();
        }

        @Override
        public int capacity() {
            return Integer.MAX_VALUE;
        }
    }

    private static List<String> callsForOneMessage(PollLoop loop) throws InterruptedException {
        Noting mailbox = new Noting();
        mailbox.offer(1);
        Processor<Integer> processor = new Processor<>(mailbox, loop, message -> {});
        Thread thread = ThreadKind.PLATFORM.unstarted("actor", processor);
        try (MailboxActor<Integer> actor = new MailboxActor<>(mailbox, processor, thread)) {
            actor.start();
            assertTrue(actor.isAlive());
            return List.of(
                    mailbox.calls.poll(LIMIT_MS, TimeUnit.MILLISECONDS),
                    mailbox.calls.poll(LIMIT_MS, TimeUnit.MILLISECONDS));
        }
    }

    @Test
    void theLoopPollsForOneMessageThenDrainsNineMore() throws InterruptedException {
        assertEquals(List.of("poll 100", "drainTo 9"), callsForOneMessage(new PollLoop(100, true)));
    }

    @Test
    void aLoopWithoutTimeoutTakes() throws InterruptedException {
        assertEquals(List.of("take", "drainTo 9"), callsForOneMessage(PollLoop.UNTIMED));
    }

    @Test
    void anotherTimeoutReplacesTheLoopsOwn() throws InterruptedException {
        assertEquals(List.of("poll 500", "drainTo 9"), callsForOneMessage(PollLoop.UNTIMED.withTimeoutMs(500)));
    }

    /** Brings messages and polls that time out (null) in a given order, then interrupts the loop. */
    private static final class Scripted implements Mailbox<Integer> {
        private final Iterator<Integer> script;

        Scripted(Integer... script) {
            this.script = Arrays.asList(script).iterator();
        }

        @Override
        public Integer poll(long timeout, TimeUnit unit) throws InterruptedException {
            if (!script.hasNext()) {
                throw new InterruptedException();
            }
            return script.next();
        }

        @Override
        public int drainTo(Collection<? super Integer> sink, int max) {
            return 0;
        }

        @Override
        public boolean offer(Integer message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Integer take() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int size() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int capacity() {
            throw new UnsupportedOperationException();
        }
    }

    /** The events of a loop as before the report, or after it: a message handled, or a yield. */
    private static List<String> eventsOf(PollLoop loop, Integer... script) {
        List<String> events = new ArrayList<>();
        Processor<Integer> processor =
                new Processor<>(new Scripted(script), loop, message -> events.add("handled " + message)) {
                    @Override
                    void giveWay() {
                        events.add("yield");
                    }
                };
        processor.run();
        assertEquals(Arrays.stream(script).filter(Objects::isNull).count(), processor.emptyPolls());
        return events;
    }

    /** So ten times a second in an actor that has nothing to do, and never while it has. */
    @Test
    void theLoopYieldsOnlyAfterAPollThatWaitedInVain() {
        assertEquals(
                List.of("handled 1", "handled 2", "yield", "handled 3", "yield", "yield"),
                eventsOf(new PollLoop(100, true), 1, 2, null, 3, null, null));
        assertEquals(List.of("handled 1"), eventsOf(new PollLoop(1, false), 1, null, null));
    }

    /** More of them than the scheduler could have carriers for: 256, by default. */
    @Test
    void anActorThatPollsLeavesItsCarrierToOthers() {
        try (MailboxActors system = linked(new PollLoop(60_000, false), ThreadKind.VIRTUAL)) {
            for (int i = 0; i < 300; i++) {
                assertTrue(system.spawn(message -> {}).awaitIdle(LIMIT_MS));
            }
            CountDownLatch handled = new CountDownLatch(1);
            system.spawn(message -> handled.countDown()).tell(0);
            await(handled);
        }
    }

    @Test
    void anAdaptiveLoopWaitsTwiceAsLongAfterNothingAndBrieflyAfterAMessage() throws InterruptedException {
        Noting mailbox = new Noting();
        Processor<Integer> processor = new Processor<>(mailbox, PollLoop.adaptive(1, 4), message -> {});
        Thread thread = ThreadKind.PLATFORM.unstarted("actor", processor);
        try (MailboxActor<Integer> actor = new MailboxActor<>(mailbox, processor, thread)) {
            actor.start();
            List<String> calls = new ArrayList<>();
            while (calls.size() < 4) {
                calls.add(mailbox.calls.poll(LIMIT_MS, TimeUnit.MILLISECONDS));
            }
            assertEquals(List.of("poll 1", "poll 2", "poll 4", "poll 4"), calls);
            actor.tell(1);
            String call;
            do {
                call = mailbox.calls.poll(LIMIT_MS, TimeUnit.MILLISECONDS);
            } while (!"drainTo 9".equals(call));
            assertEquals("poll 1", mailbox.calls.poll(LIMIT_MS, TimeUnit.MILLISECONDS));
        }
    }
}
