package perflab.mailbox.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The results of one batch, each put by another thread, and the wait for all of them. */
final class TaskResults {

    private final long[] results;
    private final CountDownLatch missing;

    TaskResults(int tasks) {
        results = new long[tasks];
        missing = new CountDownLatch(tasks);
    }

    /** The count-down publishes the result to whoever awaited all. */
    void put(int index, long result) {
        results[index] = result;
        missing.countDown();
    }

    boolean await(long limitS) throws InterruptedException {
        return missing.await(limitS, TimeUnit.SECONDS);
    }

    long missing() {
        return missing.getCount();
    }

    /** The first task with a wrong result, or -1. */
    int firstWrong(int work) {
        for (int i = 0; i < results.length; i++) {
            if (results[i] != Task.expected(i, work)) {
                return i;
            }
        }
        return -1;
    }
}
