package perflab.mailbox.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;
import perflab.mailbox.Mailbox;

/**
 * A producer, and a consumer that drains before and after it sends to itself, across the ends of chunks and a wraparound of tickets:
 * what was accepted arrives once, in each producer's order, with what was written before it was sent. Two threads, because jcstress
 * skips tests with more actors than processors; {@link LinearizabilityTest} has three.
 */
final class DeliveryStress {

    private static final long SOON_ZERO = -2 * Words.STEP;
    private static final int SENT_EACH = 3;

    private DeliveryStress() {}

    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "everything accepted arrived once and in order")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "something was lost, doubled, out of order or half-made")
    static final class Grading {
        private Grading() {}
    }

    /** Not a record: a final field would be safe without the mailbox's help. */
    private static final class Message {
        private int number;
    }

    /** How messages are sent; returns how many were accepted. */
    private interface Send {
        int all(Mailbox<Message> mailbox, List<Message> messages);
    }

    private static int oneByOne(Mailbox<Message> mailbox, List<Message> messages) {
        int accepted = 0;
        while (accepted < messages.size() && mailbox.offer(messages.get(accepted))) {
            accepted++;
        }
        return accepted;
    }

    private static final class Run {
        private final Mailbox<Message> mailbox;
        private final Send send;
        private final List<Message> received = new ArrayList<>();
        private int acceptedOfOne;
        private int acceptedOfTwo;

        Run(Mailbox<Message> mailbox, Send send) {
            this.mailbox = mailbox;
            this.send = send;
        }

        private int sendFrom(int first) {
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < SENT_EACH; i++) {
                Message message = new Message();
                message.number = first + i;
                messages.add(message);
            }
            return send.all(mailbox, messages);
        }

        void producer() {
            acceptedOfOne = sendFrom(1);
        }

        void consumerThatProducesToo() {
            mailbox.drainTo(received, 1);
            acceptedOfTwo = sendFrom(11);
            mailbox.drainTo(received, SENT_EACH);
        }

        boolean isIntact() {
            mailbox.drainTo(received, 3 * SENT_EACH);
            int nextOfOne = 1;
            int nextOfTwo = 11;
            for (Message message : received) {
                int expected = message.number > 10 ? nextOfTwo++ : nextOfOne++;
                if (message.number != expected) {
                    return false;
                }
            }
            return nextOfOne == 1 + acceptedOfOne && nextOfTwo == 11 + acceptedOfTwo;
        }
    }

    @JCStressTest
    @JCStressMeta(Grading.class)
    @State
    public static class InTurn {
        private static final AtomicInteger INSTANCES = new AtomicInteger();

        private final Run run = switch (INSTANCES.getAndIncrement() % 3) {
            case 0 -> new Run(new UnboundedMailbox<>(SOON_ZERO, 1), DeliveryStress::oneByOne);
            case 1 -> new Run(new UnboundedMailbox<>(SOON_ZERO, 2), Mailbox::offerAll);
            default -> new Run(new BoundedMailbox<>(SOON_ZERO, 1, 1), DeliveryStress::oneByOne);
        };

        @Actor
        public void producer() {
            run.producer();
        }

        @Actor
        public void consumer() {
            run.consumerThatProducesToo();
        }

        @Arbiter
        public void arbiter(Z_Result result) {
            result.r1 = run.isIntact();
        }
    }
}
