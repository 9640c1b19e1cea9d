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
    }
}
