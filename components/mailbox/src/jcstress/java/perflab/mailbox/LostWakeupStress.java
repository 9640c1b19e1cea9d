package perflab.mailbox;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;

/** A consumer in take(), and the messages that should end it. */
final class LostWakeupStress {

    private LostWakeupStress() {}

    @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "the consumer received a message")
    @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "the consumer waits although a message is there")
    static final class TakeGrading {
        private TakeGrading() {}
    }

    @JCStressTest(Mode.Termination)
    @JCStressMeta(TakeGrading.class)
    public static class PublishedTake {
        private final MpscPublishedMailbox<Integer> mailbox = new MpscPublishedMailbox<>();

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
    @JCStressMeta(TakeGrading.class)
    public static class ResizableTake {
        private static final int BURST_THAT_RESIZES = 60;

        private final ResizableMailbox<Integer> mailbox = new ResizableMailbox<>();

        @Actor
        public void consumer() throws InterruptedException {
            mailbox.take();
        }

        @Signal
        public void producer() {
            for (int i = 0; i < BURST_THAT_RESIZES; i++) {
                mailbox.offer(i);
            }
        }
    }

    @JCStressTest(Mode.Termination)
    @JCStressMeta(TakeGrading.class)
    public static class RepairedTake {
        private final MpscRepairedMailbox<Integer> mailbox = new MpscRepairedMailbox<>();

        @Actor
        public void consumer() throws InterruptedException {
            mailbox.take();
        }

        @Signal
        public void producer() {
            mailbox.offer(1);
        }
    }
}
