package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jctools.queues.MpscUnboundedArrayQueue;
import org.junit.jupiter.api.Test;

/** The report's printed offer with two producers. */
class PrintedOfferTest {

    @Test
    void aSingleProducerLosesNothing() {
        PrintedQueue<String> queue = new PrintedQueue<>();
        assertTrue(queue.offer("first"));
        assertTrue(queue.offer("second"));
        assertEquals("first", queue.at(0));
        assertEquals("second", queue.at(1));
        assertEquals(2, queue.produced());
    }

    /**
     * <pre>
     *   [T1]  reads index 0, slot 0 is free
     *   [T2]  reads index 0, slot 0 is free, stores, index = 1, returns true
     *   [T1]  stores over it, index = 1, returns true
     * </pre>
     */
    @Test
    void twoProducersLoseAMessageThatBothWereToldIsIn() {
        boolean[] second = new boolean[1];
        PrintedQueue<String> queue = new PrintedQueue<>() {
            private boolean entered;

            @Override
            void betweenCheckAndStore() {
                if (!entered) {
                    entered = true;
                    second[0] = offer("of T2");
                }
            }
        };
        assertTrue(queue.offer("of T1"));
        assertTrue(second[0]);
        assertEquals(1, queue.produced());
        assertEquals("of T1", queue.at(0));
        assertNull(queue.at(1), "the message of T2 is nowhere");
    }

    @Test
    void jctoolsKeepsBothMessagesOfTwoProducers() throws InterruptedException {
        int each = 50_000;
        MpscUnboundedArrayQueue<Integer> queue = new MpscUnboundedArrayQueue<>(128);
        Runnable producer = () -> {
            for (int i = 0; i < each; i++) {
                queue.offer(i);
            }
        };
        Thread one = Thread.ofPlatform().start(producer);
        Thread other = Thread.ofPlatform().start(producer);
        one.join();
        other.join();
        assertEquals(2 * each, queue.size());
        assertEquals(2 * each, queue.drain(message -> {}, 3 * each));
    }
}
