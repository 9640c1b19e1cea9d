package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import perflab.mailbox.actor.ActorRef;

/** A scripted clock, which goes on by a step at each reading, and an actor that holds the sender up or refuses. */
class PacedSenderTest {

    private static final int MESSAGES = 20;
    private static final long STEP_NS = 100;
    private static final long START_NS = 5_000;
    private static final long LATE_NS = 1_000;
    /** One message every 10,000 ns. */
    private static final Schedule SCHEDULE = new Schedule(100_000, 1);

    private final Journal journal = new Journal(MESSAGES);
    private final List<Integer> told = new ArrayList<>();
    private long nowNs;

    private PacedSender.Outcome send(int heldUpAt, long heldUpNs, IntPredicate accepts) {
        ActorRef<Message> actor = new ActorRef<>() {
            @Override
            public boolean tell(Message message) {
                told.add(message.sequence());
                nowNs += message.sequence() == heldUpAt ? heldUpNs : 0;
                return accepts.test(message.sequence());
            }

            @Override
            public boolean isAlive() {
                return true;
            }

            @Override
            public void stop() {}

            @Override
            public void close() {}
        };
        Message[] messages = Message.of(0, MESSAGES);
        return new PacedSender(actor, SCHEDULE, messages, journal, LATE_NS, () -> nowNs += STEP_NS).send(START_NS);
    }

    private static long dueNs(int sequence) {
        return START_NS + SCHEDULE.dueNs(0, sequence);
    }

    @Test
    void itSendsEachMessageAtTheFirstReadingThatIsNotTooEarly() {
        PacedSender.Outcome outcome = send(-1, 0, sequence -> true);
        assertEquals(new PacedSender.Outcome(0, 0), outcome);
        for (int i = 0; i < MESSAGES; i++) {
            assertEquals(dueNs(i), journal.acceptedNs(i));
        }
    }

    @Test
    void whatCameDueWhileItWasHeldUpGoesOutAtOnceAndNothingIsSkipped() {
        PacedSender.Outcome outcome = send(4, 54_000, sequence -> true);
        assertEquals(IntStream.range(0, MESSAGES).boxed().toList(), told);
        long freeNs = dueNs(4) + 54_000;
        for (int i = 5; i < 10; i++) { // due 10, 20 ... 50 us after the fourth
            assertEquals(freeNs + (i - 4) * STEP_NS, journal.acceptedNs(i), "message " + i);
        }
        assertEquals(dueNs(10), journal.acceptedNs(10), "the schedule is what it was");
        assertEquals(new PacedSender.Outcome(0, 5), outcome);
    }

    @Test
    void aSendIsLateOnlyBeyondTheLimit() {
        assertEquals(0, send(4, 10_000 + LATE_NS - STEP_NS, sequence -> true).late());
    }

    @Test
    void aSendJustBeyondTheLimitIsLate() {
        assertEquals(1, send(4, 10_000 + LATE_NS, sequence -> true).late());
    }

    @Test
    void aRefusedMessageIsCountedAndNotTriedAgain() {
        PacedSender.Outcome outcome = send(-1, 0, sequence -> sequence % 3 != 0);
        assertEquals(new PacedSender.Outcome(7, 0), outcome);
        assertEquals(MESSAGES, told.size());
        assertFalse(journal.isAccepted(3));
        assertTrue(journal.isAccepted(4));
        assertEquals(MESSAGES - 7, journal.accepted());
    }
}
