package perflab.queues.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** On a machine with two processors whose scheduler is exactly fair. */
class CrowdTest {

    private static final int PROCESSORS = 2;

    private final Crowd crowd = new Crowd(PROCESSORS);

    /** Lets so many runs go by beside so many other threads, and tells how many workers come of it. */
    private int after(int runs, int asked, int others) {
        for (int i = 0; i < runs; i++) {
            int workers = crowd.workers(asked);
            double share = Math.min(1, (double) PROCESSORS / (workers + others));
            crowd.learn(workers, Math.round(share * workers * 1e6), workers * 1_000_000L);
        }
        return crowd.workers(asked);
    }

    @Test
    void onAnEmptyMachineThereAreAsManyAsAreAskedFor() {
        assertEquals(2, after(50, 2, 0));
        assertEquals(1, after(50, 1, 0));
        assertEquals(8, after(50, 8, 0));
    }

    @Test
    void onABusyOneTheyAreHalfAsManyAgainAsTheOthers() {
        assertEquals(3, after(50, 2, 2));
        assertEquals(6, after(50, 2, 4));
    }

    @Test
    void theyAreNeverMoreThanFourForOne() {
        assertEquals(8, after(50, 2, 100));
    }

    @Test
    void whenTheOthersAreGoneSoAreTheAdditionalWorkers() {
        after(50, 2, 4);
        assertEquals(2, after(50, 2, 0));
    }

    @Test
    void oneSlowRunIsNoCrowd() {
        after(50, 2, 0);
        assertEquals(2, after(1, 2, 4));
    }
}
