package perflab.mailbox.contract;

import static perflab.bench.Check.require;

import java.util.List;
import java.util.concurrent.TimeUnit;
import perflab.bench.Check;
import perflab.mailbox.MailboxFactory;

/** The contract of {@link perflab.mailbox.Mailbox}, statement by statement. */
public final class MailboxContract {

    /** A wake-up that has not come by then is lost, in milliseconds. */
    static final long LOST_AFTER_MS = 2_000;

    private MailboxContract() {}

    public static List<Check<MailboxFactory>> checks() {
        return List.of(
                new Check<>("a null message is rejected", SequentialChecks::nullIsRejected),
                new Check<>("messages come out in the order they went in", SequentialChecks::firstInFirstOut),
                new Check<>("a poll of an empty mailbox returns null at its timeout", SequentialChecks::pollTimesOut),
                new Check<>("drainTo moves no more than it may, in order", SequentialChecks::drainIsBounded),
                new Check<>("a full mailbox refuses, and accepts again after a poll", SequentialChecks::fullRefuses),
                new Check<>("the size is the number of messages", SequentialChecks::sizeCounts),
                new Check<>("a waiting take is woken by an offer", WakeupChecks::takeIsWoken),
                new Check<>("a waiting poll is woken by an offer", WakeupChecks::pollIsWoken),
                new Check<>("no wake-up of many is lost", WakeupChecks::noneOfManyIsLost),
                new Check<>("an interrupt ends a waiting take", WakeupChecks::takeIsInterrupted),
                new Check<>("an interrupt ends a waiting poll", WakeupChecks::pollIsInterrupted),
                new Check<>("a mailbox works on after an interrupt", WakeupChecks::worksAfterInterrupt),
                new Check<>(
                        "every message arrives once, in its producer's order, from more producers than cores",
                        DeliveryChecks::manyProducers),
                new Check<>(
                        "every message arrives once, in its producer's order, on virtual threads",
                        DeliveryChecks::virtualThreads));
    }

    /** A message that must come without waiting. */
    static <E> void requireNext(perflab.mailbox.Mailbox<E> mailbox, E expected) throws InterruptedException {
        E received = mailbox.poll(0, TimeUnit.MILLISECONDS);
        require(expected.equals(received), received + " came in place of " + expected);
    }
}
