package perflab.queues;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long queues are, shared ones and those of one worker: upstream's rule. */
class ShapeTest {

    @ParameterizedTest
    @CsvSource({
        "1, 32, 16, 16",
        "3, 32, 16, 8",
        "4, 32, 16, 4",
        "7, 32, 16, 2",
        "8, 32, 16, 2",
        "4, 4, 1, 1", // no room at all
        "3, 100000, 256, 256",
    })
    void underASoftLimitFullQueuesLeaveRoomForWhatIsInHand(int workers, int softLimit, int shared, int each) {
        Shape shape = Shape.within(workers, softLimit);
        assertEquals(shared, shape.queueSize());
        assertEquals(each, shape.queueSizeEach());
        assertEquals(softLimit, shape.limit());
    }

    @Test
    void aSizeThatIsAskedForIsEachQueues() {
        assertEquals(5, Shape.within(3, 32).withQueueSize(5).queueSizeEach());
        assertEquals(32, Shape.within(3, 32).withQueueSize(5).limit());
        assertEquals(5, new Shape(3, 5).queueSizeEach());
        assertThrows(IllegalArgumentException.class, () -> new Shape(1, 0));
    }
}
