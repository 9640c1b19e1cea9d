package perflab.queues.modes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Jain's index, at its ends and where one can compute it by hand. */
class TallyTest {

    private static Tally of(int... wordsOfEach) throws InterruptedException {
        Tally tally = new Tally();
        for (int words : wordsOfEach) {
            Thread worker = new Thread(() -> {
                for (int i = 0; i < words; i++) {
                    tally.add();
                }
            });
            worker.start();
            worker.join();
        }
        return tally;
    }

    @Test
    void evenSharesAreWholly() throws InterruptedException {
        assertEquals(1_000_000, of(7, 7, 7).fairnessPpm(3));
    }

    @Test
    void oneWhoHasAllIsOneOfSoMany() throws InterruptedException {
        assertEquals(250_000, of(100).fairnessPpm(4));
    }

    @Test
    void threeQuartersAndOneQuarter() throws InterruptedException {
        assertEquals(Math.round(1e6 * 16 / (2 * 10)), of(3, 1).fairnessPpm(2));
    }

    @Test
    void moreThreadsThanWorkersAreTheWorkers() throws InterruptedException {
        assertEquals(1_000_000, of(5, 5).fairnessPpm(1));
    }

    @Test
    void everyWordCounts() throws InterruptedException {
        assertEquals(10, of(1, 2, 3, 4).words());
    }
}
