package perflab.mailbox.bench;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A piece of work as in upstream's benchmark: some Fibonacci numbers, computed by iteration. */
record Task(int index, int work, Results batch) {

    private static final int FIBONACCI = 15;

    /** The handler of every actor that tasks are sent to; a static method, so that it costs nothing to create. */
    static final Consumer<Task> HANDLER = Task::perform;

    private void perform() {
        long sum = 0;
        for (int i = 0; i < work; i++) {
            // The result depends on the round, so that no compiler computes it once for all rounds.
            sum += fibonacci(FIBONACCI + (i & 1) + (index & 1));
        }
        batch.values[index] = sum;
        batch.missing.countDown();
    }

    private static long fibonacci(int n) {
        long previous = 0;
        long current = 1;
        for (int i = 1; i < n; i++) {
            long next = previous + current;
            previous = current;
            current = next;
        }
        return current;
    }

    /** The results of one batch. Its count-down publishes each to whoever awaits all. */
    record Results(long[] values, CountDownLatch missing) {

        Results(int tasks) {
            this(new long[tasks], new CountDownLatch(tasks));
        }

        /** The first task whose result is not what a table, instead of the loop above, says; or -1. */
        int firstWrong(int work) {
            long[] table = {610, 987, 1597};
            for (int i = 0; i < values.length; i++) {
                int odd = i & 1;
                if (values[i] != table[odd] * ((work + 1) / 2) + table[odd + 1] * (work / 2)) {
                    return i;
                }
            }
            return -1;
        }
    }
}
