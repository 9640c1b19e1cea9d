package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import perflab.mailbox.Mailbox;

/**
 * Lincheck's model checker pairs each mailbox with a sequential queue. Chunks are of one and two slots and tickets wrap around, so
 * that few operations meet every edge. What it explores is sequentially consistent: memory order is jcstress's question. No operation
 * waits for a message or for room, so that the wait strategy cannot matter here: the wake-up is {@link ModelCheckedWakeupTest}'s.
 */
class LinearizabilityTest {

    private static final int UNBOUNDED = Integer.MAX_VALUE;

    static final List<Class<?>> MAILBOXES = List.of(
            Unbounded.class,
            UnboundedInChunksOfOne.class,
            BoundedOfOne.class,
            BoundedOfThree.class,
            UnboundedAndClosed.class,
            BoundedAndClosed.class);

    /** The operations; the sequential specification has the same names. */
    @Param(name = "message", gen = IntGen.class, conf = "1:9")
    public abstract static class Operations {

        final Mailbox<Integer> mailbox;

        Operations(Mailbox<Integer> mailbox) {
            this.mailbox = mailbox;
        }

        @Operation
        public boolean offer(@Param(name = "message") int message) {
            return mailbox.offer(message);
        }

        @Operation(nonParallelGroup = "consumer")
        public Integer poll() throws InterruptedException {
            return mailbox.poll(0, TimeUnit.NANOSECONDS);
        }

        @Operation
        public int size() {
            return mailbox.size();
        }
    }

    /** The same, and it may be closed. */
    public abstract static class Closed extends Operations {

        Closed(Mailbox<Integer> mailbox) {
            super(mailbox);
        }

        @Operation
        public void close() {
            mailbox.close();
        }
    }

    public static class UnboundedAndClosed extends Closed {
        public UnboundedAndClosed() {
            super(new UnboundedMailbox<>(-2 * Words.STEP, 1));
        }
    }

    public static class BoundedAndClosed extends Closed {
        public BoundedAndClosed() {
            super(new BoundedMailbox<>(-2 * Words.STEP, 3, 2));
        }
    }

    /** The same, and batches of three. */
    public abstract static class WithBatches extends Operations {

        WithBatches(Mailbox<Integer> mailbox) {
            super(mailbox);
        }

        @Operation
        public int offerBatch(@Param(gen = IntGen.class, conf = "1:9") int message) {
            return mailbox.offerAll(List.of(message, 10 * message, 100 * message));
        }
    }

    public static class Unbounded extends WithBatches {
        public Unbounded() {
            super(new UnboundedMailbox<>(-2 * Words.STEP, 2));
        }
    }

    public static class UnboundedInChunksOfOne extends WithBatches {
        public UnboundedInChunksOfOne() {
            super(new UnboundedMailbox<>(Long.MIN_VALUE - 2 * Words.STEP, 1));
        }
    }

    public static class BoundedOfOne extends Operations {
        public BoundedOfOne() {
            super(new BoundedMailbox<>(-2 * Words.STEP, 1, 1));
        }
    }

    public static class BoundedOfThree extends Operations {
        public BoundedOfThree() {
            super(new BoundedMailbox<>(Long.MIN_VALUE - 2 * Words.STEP, 3, 2));
        }
    }

    /** A control: drainTo ends at a slot that is claimed and not yet filled, so it misses messages behind one. */
    public static class DrainInsteadOfPoll {

        private final Mailbox<Integer> mailbox = new UnboundedMailbox<>(0, 2);

        @Operation
        public boolean offer(@Param(gen = IntGen.class, conf = "1:9") int message) {
            return mailbox.offer(message);
        }

        @Operation(nonParallelGroup = "consumer")
        public Integer poll() {
            List<Integer> drained = new ArrayList<>();
            mailbox.drainTo(drained, 1);
            return drained.isEmpty() ? null : drained.getFirst();
        }
    }

    public static class Specification {

        private final List<Integer> messages = new ArrayList<>();
        private final int capacity;
        private boolean closed;

        public Specification() {
            this(UNBOUNDED);
        }

        Specification(int capacity) {
            this.capacity = capacity;
        }

        public boolean offer(int message) {
            return !closed && messages.size() < capacity && messages.add(message);
        }

        public void close() {
            closed = true;
        }

        public int offerBatch(int message) {
            int before = messages.size();
            List.of(message, 10 * message, 100 * message).forEach(this::offer);
            return messages.size() - before;
        }

        public Integer poll() {
            return messages.isEmpty() ? null : messages.removeFirst();
        }

        public int size() {
            return messages.size();
        }
    }

    public static class SpecificationOfOne extends Specification {
        public SpecificationOfOne() {
            super(1);
        }
    }

    public static class SpecificationOfThree extends Specification {
        public SpecificationOfThree() {
            super(3);
        }
    }

    private static Class<?> specificationOf(Class<?> test) {
        if (test == BoundedOfOne.class) {
            return SpecificationOfOne.class;
        }
        return test == BoundedOfThree.class || test == BoundedAndClosed.class
                ? SpecificationOfThree.class
                : Specification.class;
    }

    private static void check(Class<?> test, int scenarios, int schedules) {
        new ModelCheckingOptions()
                .iterations(scenarios)
                .invocationsPerIteration(schedules)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(2)
                .minimizeFailedScenario(false)
                .sequentialSpecification(specificationOf(test))
                .check(test);
    }

    private static void assertFailsTheCheck(Class<?> control) {
        Throwable found = assertThrows(Throwable.class, () -> check(control, 400, 30));
        assertTrue(found.getMessage().contains("Invalid execution results"), found.getMessage());
    }

    @ParameterizedTest
    @FieldSource("MAILBOXES")
    void isLinearizable(Class<?> test) {
        check(test, 8, 150);
    }

    @Tag("slow")
    @ParameterizedTest
    @FieldSource("MAILBOXES")
    void isLinearizableInManySchedules(Class<?> test) {
        check(test, 100, 5_000);
    }

    @Test
    void theCheckFindsADrainThatMissesAMessage() {
        assertFailsTheCheck(DrainInsteadOfPoll.class);
    }
}
