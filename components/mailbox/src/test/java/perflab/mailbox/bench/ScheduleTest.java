package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    @Test
    void messagesAreDueAtEvenDistances() {
        Schedule schedule = new Schedule(100_000, 1);
        assertEquals(0, schedule.dueNs(0, 0));
        assertEquals(10_000, schedule.dueNs(0, 1));
        assertEquals(990_000, schedule.dueNs(0, 99));
    }

    /** A third of a second is no whole number of nanoseconds; adding up rounded ones would be 1 ns early a second. */
    @Test
    void aRateThatDoesNotDivideASecondDoesNotDrift() {
        Schedule schedule = new Schedule(3, 1);
        assertEquals(333_333_333, schedule.dueNs(0, 1));
        assertEquals(666_666_666, schedule.dueNs(0, 2));
        assertEquals(TimeUnit.SECONDS.toNanos(500_000_000), schedule.dueNs(0, 1_500_000_000));
    }

    @Test
    void theLastNumbersOfAllDoNotOverflow() {
        Schedule schedule = new Schedule(1_000, 64);
        long number = Integer.MAX_VALUE * 64L + 63;
        assertEquals(TimeUnit.MILLISECONDS.toNanos(number), schedule.dueNs(63, Integer.MAX_VALUE));
    }

    @Test
    void producersSendInTurn() {
        Schedule schedule = new Schedule(1_000_000, 3);
        assertEquals(0, schedule.dueNs(0, 0));
        assertEquals(1_000, schedule.dueNs(1, 0));
        assertEquals(2_000, schedule.dueNs(2, 0));
        assertEquals(3_000, schedule.dueNs(0, 1));
        assertEquals(14_000, schedule.dueNs(2, 4));
    }

    @Test
    void itLastsUntilOneMoreMessageWouldBeDue() {
        Schedule schedule = new Schedule(100_000, 4);
        assertEquals(2_500, schedule.messagesEach(100));
        assertEquals(TimeUnit.MILLISECONDS.toNanos(100), schedule.lengthNs(2_500));
        assertEquals(schedule.dueNs(0, 2_500), schedule.lengthNs(2_500));
    }

    @Test
    void whatDoesNotFitInWholeIsLeftOutAndOneMessageAlwaysFits() {
        assertEquals(33, new Schedule(100_000, 3).messagesEach(1));
        assertEquals(1, new Schedule(1_000, 64).messagesEach(10));
    }
}
