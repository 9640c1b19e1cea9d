package perflab.mailbox.lab;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * One side announces that it waits, the other one publishes what ends the wait. Up to the park, so that a lost wake-up shows as a
 * result: whether the one counts on being woken (first), and whether the other knows (second).
 */
final class SleepStress {

    private SleepStress() {}

    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "it waits, and is woken")
    @Outcome(
            id = "false, false",
            expect = Expect.ACCEPTABLE,
            desc = "it came too late to wait, and nobody has to wake it")
    @Outcome(
            id = "false, true",
            expect = Expect.FORBIDDEN,
            desc = "one word says both: the flag is there only if it waits")
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "it waits, and nobody wakes it")
    static final class Grading {
        private Grading() {}
    }

    @JCStressTest
    @JCStressMeta(Grading.class)
    @State
    public static class Consumer {
        private final UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>();

        @Actor
        public void consumer(ZZ_Result result) {
            result.r1 = mailbox.announce(mailbox.nextTicket());
        }

        @Actor
        public void producer(ZZ_Result result) {
            long word = mailbox.xaddClaims(Words.STEP);
            result.r2 = Words.isWaiting(word) && Words.ticketOf(word) == Words.ticketOf(mailbox.lvTaken());
        }
    }

    @JCStressTest
    @JCStressMeta(Grading.class)
    @State
    public static class Producer {
        private final BoundedMailbox<Integer> mailbox = new BoundedMailbox<>(1);

        public Producer() {
            mailbox.offer(1);
        }

        @Actor
        public void producer(ZZ_Result result) {
            result.r1 = mailbox.announceProducer();
        }

        @Actor
        public void consumer(ZZ_Result result) {
            result.r2 = Words.isWaiting(mailbox.xaddTaken(Words.STEP));
        }
    }

    /**
     * The control: the announcement beside the word instead of in it, and no fence between writing the one and reading the other.
     * Why the flag is where it is.
     */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "it waits, and nobody wakes it")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "at least one of the two has seen the other")
    @State
    public static class AnnouncedBesideTheWord {
        private final UnboundedMailbox<Integer> mailbox = new UnboundedMailbox<>();
        private final Chunk chunk = mailbox.lvTail();

        @Actor
        public void consumer(ZZ_Result result) {
            mailbox.soSleeper(Thread.currentThread());
            result.r1 = chunk.laSlot(0) == null;
        }

        @Actor
        public void producer(ZZ_Result result) {
            chunk.soSlot(0, 1);
            result.r2 = mailbox.loSleeper() != null;
        }
    }
}
