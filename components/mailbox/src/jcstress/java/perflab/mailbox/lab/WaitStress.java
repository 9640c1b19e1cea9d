package perflab.mailbox.lab;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import perflab.mailbox.Mailbox;

/** The waits as a whole, park and all: a consumer in take(), a producer in a timed offer, and what should end it. */
final class WaitStress {

    private static final long FAR_AWAY_S = 1_000_000;

    private WaitStress() {}

    @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "the wait ended")
    @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "it did not, although what it waits for is there")
    static final class Grading {
        private Grading() {}
    }

    @JCStressTest(Mode.Termination)
    @JCStressMeta(Grading.class)
    public static class Take {
        private static final AtomicInteger INSTANCES = new AtomicInteger();

        private final Mailbox<Integer> mailbox = next();

        /** Each strategy in turn, then the bounded. */
        private static Mailbox<Integer> next() {
            WaitStrategy[] strategies = WaitStrategy.values();
            int turn = INSTANCES.getAndIncrement() % (strategies.length + 1);
            return turn < strategies.length ? new UnboundedMailbox<>(strategies[turn]) : new BoundedMailbox<>(1);
        }

        @Actor
        public void consumer() throws InterruptedException {
            mailbox.take();
        }

        @Signal
        public void producer() {
            mailbox.offer(1);
        }
    }

    @JCStressTest(Mode.Termination)
    @JCStressMeta(Grading.class)
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
        public void consumer() throws InterruptedException {
            mailbox.poll(0, TimeUnit.NANOSECONDS);
        }
    }
}
