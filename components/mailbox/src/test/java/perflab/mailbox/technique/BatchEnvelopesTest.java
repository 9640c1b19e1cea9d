package perflab.mailbox.technique;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import perflab.mailbox.LinkedMailbox;

class BatchEnvelopesTest {

    private final BatchEnvelopes<Integer> mailbox = new BatchEnvelopes<>(new LinkedMailbox<>(2));

    @Test
    void aBatchTakesOnePlace() {
        assertEquals(3, mailbox.offerAll(List.of(1, 2, 3)));
        assertEquals(3, mailbox.offerAll(List.of(4, 5, 6)));
        assertEquals(0, mailbox.offerAll(List.of(7, 8, 9)));
        assertFalse(mailbox.offer(7));
    }

    @Test
    void batchesAndSinglesComeInOrder() throws InterruptedException {
        mailbox.offerAll(List.of(1, 2, 3));
        mailbox.offer(4);
        List<Integer> received = new ArrayList<>();
        received.add(mailbox.take());
        assertEquals(2, mailbox.drainTo(received, 2));
        assertEquals(1, mailbox.drainTo(received, 9));
        assertEquals(List.of(1, 2, 3, 4), received);
    }

    @Test
    void theProducerMayUseItsListAgain() throws InterruptedException {
        List<Integer> messages = new ArrayList<>(List.of(1, 2));
        mailbox.offerAll(messages);
        messages.set(1, 9);
        assertEquals(List.of(1, 2), List.of(mailbox.take(), mailbox.take()));
    }

    @Test
    void aBatchWithANullIsRejectedWhole() {
        Assertions.assertThrows(NullPointerException.class, () -> mailbox.offerAll(Arrays.asList(1, null)));
        assertEquals(0, mailbox.size());
    }

    @Test
    void nothingIsTakenForAnEmptyBatch() {
        assertEquals(0, mailbox.offerAll(List.of()));
        assertEquals(0, mailbox.size());
    }
}
