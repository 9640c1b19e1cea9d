package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

class JournalTest {

    private static final int MESSAGES = 4;

    private final Journal journal = new Journal(MESSAGES);

    private void record(int sequence, long acceptedNs, long handledNs) {
        journal.accept(sequence, acceptedNs);
        journal.handle(sequence, handledNs);
    }

    @Test
    void aNewOneIsBlankWhateverTheClockReads() {
        for (int i = 0; i < MESSAGES; i++) {
            assertFalse(journal.isAccepted(i) || journal.isHandled(i));
        }
        record(0, 0, -1);
        assertEquals(1, journal.accepted());
        assertEquals(0, journal.handledUnaccepted());
    }

    @Test
    void aRefusedMessageThatIsHandledStandsOut() {
        record(0, 10, 20);
        journal.handle(2, 30);
        assertEquals(1, journal.accepted());
        assertEquals(1, journal.handledUnaccepted());
    }

    @Test
    void clearingForgetsBothHalves() {
        record(1, 10, 20);
        journal.clear();
        assertEquals(0, journal.accepted());
        assertFalse(journal.isHandled(1));
        assertEquals(0, journal.largestBacklog());
    }

    @Test
    void theBacklogIsLargestBeforeTheFirstMessageIsHandled() {
        for (int i = 0; i < MESSAGES; i++) {
            record(i, i, 100 + i);
        }
        assertEquals(MESSAGES, journal.largestBacklog());
    }

    @Test
    void anActorThatKeepsUpNeverHasMoreThanOne() {
        for (int i = 0; i < MESSAGES; i++) {
            record(i, 10 * i, 10 * i + 10);
        }
        assertEquals(1, journal.largestBacklog());
    }

    /** The producer stamps after its offer returned: a quick actor may have been there before. */
    @Test
    void aMessageHandledBeforeItsProducerNotedItCountsOnce() {
        for (int i = 0; i < MESSAGES; i++) {
            record(i, 10 * i + 5, 10 * i);
        }
        record(3, 31, 50);
        assertEquals(1, journal.largestBacklog());
    }

    @Test
    void theLargestBacklogMayBeInTheMiddleAndRefusedMessagesAreNoneOfIt() {
        record(0, 0, 5);
        record(1, 10, 40);
        // message 2 was refused
        record(3, 20, 50);
        assertEquals(2, journal.largestBacklog());
    }
}
