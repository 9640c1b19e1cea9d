package perflab.mailbox.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A mailbox that is closed while others use it: what was accepted arrives, nothing else does, and nobody waits any longer. */
final class CloseStress {

    private static final long FAR_AWAY_S = 1_000_000;

    private CloseStress() {}

    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "closed before both")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "closed between them")
    @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "closed after both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "accepted and not received, or received and not accepted")
    static final class Counting {
        private Counting() {}
    }

    /** How many of two messages are accepted one after the other. */
    private static int offerTwo(ChunkedMailbox<Integer> mailbox) {
        return mailbox.offer(0) ? mailbox.offer(1) ? 2 : 1 : mailbox.offer(1) ? -1 : 0;
    }

    /** How many are received, in their order, before there is nothing to come any more. */
    private static int received(ChunkedMailbox<Integer> mailbox) {
        try {
            List<Integer> messages = new ArrayList<>();
            for (Integer message; (message = mailbox.take()) != null; ) {
                if (message != messages.size()) {
                    return -2;
                }
                messages.add(message);
            }
            return messages.size();
        } catch (InterruptedException e) {
            return -3;
        }
    }

    @JCStressTest
    @JCStressMeta(Counting.class)
    @State
    public static class Offers {
        private static final AtomicInteger INSTANCES = new AtomicInteger();

        /** Unbounded and bounded in turn. */
        private final ChunkedMailbox<Integer> mailbox = INSTANCES.getAndIncrement() % 2 == 0
                ? new UnboundedMailbox<>(-Words.STEP, 1)
                : new BoundedMailbox<>(-Words.STEP, 2, 1);

        @Actor
        public void producer(II_Result result) {
            result.r1 = offerTwo(mailbox);
        }

        @Actor
        public void closer() {
            mailbox.close();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r2 = received(mailbox);
        }
    }

    @JCStressTest(Mode.Termination)
    @JCStressMeta(WaitStress.Grading.class)
    public static class Take {
        private final UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>();

        @Actor
        public void consumer() throws InterruptedException {
            mailbox.take();
        }

        @Signal
        public void closer() {
            mailbox.close();
        }
    }

    @JCStressTest(Mode.Termination)
    @JCStressMeta(WaitStress.Grading.class)
    public static class OfferToFull {
        private final BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(1);

        public OfferToFull() {
            mailbox.offer(1);
        }

        @Actor
        public void producer() throws InterruptedException {
            mailbox.offer(2, FAR_AWAY_S, TimeUnit.SECONDS);
        }

        @Signal
        public void closer() {
            mailbox.close();
        }
    }
}
