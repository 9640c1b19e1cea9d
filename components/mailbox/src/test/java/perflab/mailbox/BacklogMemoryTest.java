package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.GraphLayout;

/** What a queue and its backlog weigh; all messages are one object. The heap is small: references are compressed. */
class BacklogMemoryTest {

    private static final int CAPACITY = 10_000;

    private static long bytes(Queue<Integer> queue, int backlog) {
        Integer message = 1;
        for (int i = 0; i < backlog; i++) {
            assertTrue(queue.offer(message));
        }
        return GraphLayout.parseInstance(queue).totalSize();
    }

    @Test
    void aBacklogWeighsMoreInNodesThanInAnArray() {
        long linked = bytes(new LinkedBlockingQueue<>(CAPACITY), CAPACITY);
        long array = bytes(new ArrayBlockingQueue<>(CAPACITY), CAPACITY);
        // a node has a header and two references, a slot is one
        assertTrue(linked > 3 * array, linked + " bytes in nodes, " + array + " in an array");
    }

    /** Why both kinds are used: an array is there before the messages are. */
    @Test
    void anEmptyArrayWeighsMoreThanNoNodes() {
        long linked = bytes(new LinkedBlockingQueue<>(CAPACITY), 0);
        long array = bytes(new ArrayBlockingQueue<>(CAPACITY), 0);
        assertTrue(linked < array, linked + " bytes without nodes, " + array + " in an array");
    }

    @Test
    void aSlotOfAChunkTakesFourBytes() {
        long small = bytes(new MpscUnboundedArrayQueue<>(1_024), 1);
        long large = bytes(new MpscUnboundedArrayQueue<>(2_048), 1);
        assertEquals(4 * 1_024, large - small);
    }
}
