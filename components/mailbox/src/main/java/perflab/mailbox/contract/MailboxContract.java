package perflab.mailbox.contract;

import static perflab.bench.Check.require;

import java.util.List;
import java.util.concurrent.TimeUnit;
import perflab.bench.Check;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/** The contract of {@link perflab.mailbox.Mailbox}, statement by statement. */
public final class MailboxContract {

    /** A wake-up that has not come by then is lost, in milliseconds; a shared machine may stand still for 2 s. */
    static final long LOST_AFTER_MS = 5_000;

    /** A mailbox that can hold more counts as unbounded. */
    private static final int LARGEST_BOUND = 1 << 20;

    private MailboxContract() {}

    public static List<Check<MailboxFactory>> checks() {
        return List.of(
                check("a null message is rejected", SequentialChecks::nullIsRejected),
                check("messages come out in the order they went in", SequentialChecks::firstInFirstOut),
                check("a poll of an empty mailbox returns null at its timeout", SequentialChecks::pollTimesOut),
                check("drainTo moves no more than it may, in order", SequentialChecks::drainIsBounded),
                ofBounded("a full mailbox refuses, and accepts again after a poll", SequentialChecks::fullRefuses),
                check("the size is the number of messages", SequentialChecks::sizeCounts),
                check("a batch is accepted in order", SequentialChecks::batchIsAcceptedInOrder),
                check("a batch with a null is rejected as a whole", SequentialChecks::batchWithNullIsRejected),
                ofBounded(
                        "of a batch that is too large the first messages are accepted",
                        SequentialChecks::firstOfBatchAreAccepted),
                check("a timed offer to a full mailbox is refused at its timeout", RoomChecks::offerTimesOut),
                ofBounded("a waiting offer is accepted once there is room", RoomChecks::offerIsWoken),
                ofBounded("no waiting offer of many is forgotten", RoomChecks::noneOfManyIsForgotten),
                ofBounded("an interrupt ends a waiting offer", RoomChecks::offerIsInterrupted),
                check("a waiting take is woken by an offer", WakeupChecks::takeIsWoken),
                check("a waiting poll is woken by an offer", WakeupChecks::pollIsWoken),
                check("no wake-up of many is lost", WakeupChecks::noneOfManyIsLost),
                check("an interrupt ends a waiting take", WakeupChecks::takeIsInterrupted),
                check("an interrupt ends a waiting poll", WakeupChecks::pollIsInterrupted),
                check("a mailbox works on after an interrupt", WakeupChecks::worksAfterInterrupt),
                new Check<>(
                        "every message arrives once, in its producer's order, from more producers than cores",
                        DeliveryChecks::manyProducers),
                new Check<>(
                        "every message arrives once, in its producer's order, on virtual threads",
                        DeliveryChecks::virtualThreads),
                new Check<>("every message of a batch arrives once, in its producer's order", DeliveryChecks::batches),
                new Check<>(
                        "every message of a producer that waits for room arrives once, in its producer's order",
                        DeliveryChecks::waitingProducers));
    }

    private static Check<MailboxFactory> check(String statement, Check.Body<Mailbox<Integer>> body) {
        return new Check<>(statement, mailboxes -> body.run(mailboxes.create()));
    }

    /** A check that has to fill the mailbox, and that one without a bound passes. */
    private static Check<MailboxFactory> ofBounded(String statement, Check.Body<Mailbox<Integer>> body) {
        return check(statement, mailbox -> {
            if (isBounded(mailbox)) {
                body.run(mailbox);
            }
        });
    }

    /** Whether a check can fill the mailbox; without a bound, or with an enormous one, nothing has to be refused. */
    static boolean isBounded(Mailbox<?> mailbox) {
        return mailbox.capacity() <= LARGEST_BOUND;
    }

    /** Offers the numbers from 0 up to the capacity, which all must be accepted. */
    static void fill(Mailbox<Integer> mailbox) {
        for (int i = 0; i < mailbox.capacity(); i++) {
            require(mailbox.offer(i), "message " + i + " was refused by a mailbox of capacity " + mailbox.capacity());
        }
    }

    static <E> void requireNext(Mailbox<E> mailbox, E expected) throws InterruptedException {
        E received = mailbox.poll(0, TimeUnit.MILLISECONDS);
        require(expected.equals(received), received + " came in place of " + expected);
    }

    static void requireNumbers(Mailbox<Integer> mailbox, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            requireNext(mailbox, i);
        }
    }

    /** Nothing must come that was not accepted, or had come before. */
    static void requireEmpty(Mailbox<Integer> mailbox) throws InterruptedException {
        Integer message = mailbox.poll(0, TimeUnit.MILLISECONDS);
        require(message == null, message + " came, which was not accepted or had come before");
    }
}
