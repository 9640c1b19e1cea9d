package perflab.mailbox;

import org.jctools.queues.MpscUnboundedArrayQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The protocol of {@link ParkingMailbox} up to the point where the consumer would park, so that a lost wake-up shows as a
 * result instead of a hang: a message left in the queue (first) and a waiter that nobody took (second).
 */
final class AnnounceStress {

    private static final int SMALLEST_CHUNK = 2;

    private AnnounceStress() {}

    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "everything received, the consumer waits")
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "everything received, and one wake-up too many")
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "a message is left, and the consumer is woken")
    @Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "a message is left, and nobody wakes the consumer")
    static final class Grading {
        private Grading() {}
    }

    private static void receiveUntilEmpty(ParkingMailbox<Integer> mailbox) {
        while (mailbox.announce() != null) {
            // the message is received; what counts is what is left
        }
    }

    private static void judge(ParkingMailbox<Integer> mailbox, ZZ_Result result) {
        result.r2 = mailbox.isAnnounced();
        result.r1 = mailbox.next() != null;
    }

    @JCStressTest
    @JCStressMeta(Grading.class)
    @State
    public static class Repaired {
        private final MpscRepairedMailbox<Integer> mailbox = new MpscRepairedMailbox<>();

        @Actor
        public void consumer() {
            receiveUntilEmpty(mailbox);
        }

        @Actor
        public void producer() {
            mailbox.offer(1);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            judge(mailbox, result);
        }
    }

    @JCStressTest
    @JCStressMeta(Grading.class)
    @State
    public static class RepairedAtTheEndOfAChunk {
        private final MpscRepairedMailbox<Integer> mailbox = new MpscRepairedMailbox<>(SMALLEST_CHUNK);

        @Actor
        public void consumer() {
            receiveUntilEmpty(mailbox);
        }

        @Actor
        public void producer() {
            mailbox.offer(1);
            mailbox.offer(2);
            mailbox.offer(3);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            judge(mailbox, result);
        }
    }

    /** The control: the repaired mailbox without its fence. Also the evidence that JCTools' own fences do not suffice. */
    static final class UnfencedMailbox extends ParkingMailbox<Integer> {
        private final MpscUnboundedArrayQueue<Integer> queue = new MpscUnboundedArrayQueue<>(SMALLEST_CHUNK);

        @Override
        public boolean offer(Integer message) {
            queue.offer(message);
            wakeConsumer();
            return true;
        }

        @Override
        Integer next() {
            return queue.poll();
        }

        @Override
        public int size() {
            return queue.size();
        }
    }

    @JCStressTest
    @JCStressMeta(Grading.class)
    @State
    public static class RepairedWithoutItsFence {
        private final UnfencedMailbox mailbox = new UnfencedMailbox();

        @Actor
        public void consumer() {
            receiveUntilEmpty(mailbox);
        }

        @Actor
        public void producer() {
            mailbox.offer(1);
            mailbox.offer(2);
            mailbox.offer(3);
        }

        @Arbiter
        public void arbiter(ZZ_Result result) {
            judge(mailbox, result);
        }
    }
}
