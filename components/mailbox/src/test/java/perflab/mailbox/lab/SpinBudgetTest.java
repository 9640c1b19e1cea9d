package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class SpinBudgetTest {

    private static final long SHORT_NS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(1);

    private final SpinBudget budget = new SpinBudget();

    static boolean severalProcessors() {
        return Runtime.getRuntime().availableProcessors() > 1;
    }

    @Test
    void aMailboxThatSleepsForLongNeverSpins() {
        for (int i = 0; i < 100; i++) {
            budget.slept(LONG_NS);
            assertEquals(0, budget.budgetNs());
        }
    }

    @Test
    @EnabledIf("severalProcessors")
    void shortSleepsMakeItSpinAndFailuresEndThat() {
        budget.slept(SHORT_NS);
        assertTrue(budget.budgetNs() > 0);
        for (int i = 0; i < 100; i++) {
            budget.paidOff();
        }
        long largest = budget.budgetNs();
        assertTrue(largest < TimeUnit.MILLISECONDS.toNanos(1), largest + " ns");
        int failures = 0;
        while (budget.budgetNs() > 0) {
            budget.failed();
            failures++;
        }
        assertTrue(failures < 10, failures + " failures");
    }

    @Test
    @EnabledIf("severalProcessors")
    void aCrowdedCarrierEndsTheSpinsForManySleeps() {
        budget.slept(SHORT_NS);
        budget.crowded();
        assertEquals(0, budget.budgetNs());
        int sleeps = 0;
        while (budget.budgetNs() == 0) {
            budget.slept(SHORT_NS);
            sleeps++;
        }
        assertTrue(sleeps > 10 && sleeps < 1000, sleeps + " sleeps");
    }
}
