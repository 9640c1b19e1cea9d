package perflab.mailbox.bench;

import java.util.function.Consumer;

/**
 * A piece of work as in upstream's benchmark: some Fibonacci numbers, computed by iteration.
 *
 * @param index its place among the batch's results
 * @param work how many times the number is computed
 * @param batch where its result goes
 */
record Task(int index, int work, TaskResults batch) {

    /** What upstream computes. */
    static final int FIBONACCI = 15;

    /** The handler of every actor that tasks are sent to; a static method, so that it costs nothing to create. */
    static final Consumer<Task> HANDLER = Task::perform;

    private void perform() {
        long sum = 0;
        for (int i = 0; i < work; i++) {
            // The result depends on the round, so that no compiler computes it once for all rounds.
            sum += fibonacci(FIBONACCI + (i & 1) + (index & 1));
        }
        batch.put(index, sum);
    }

    static long fibonacci(int n) {
        long previous = 0;
        long current = 1;
        for (int i = 1; i < n; i++) {
            long next = previous + current;
            previous = current;
            current = next;
        }
        return current;
    }

    /** What a task of this index and work must result in, by a table instead of by the loop above. */
    static long expected(int index, int work) {
        long[] table = {610, 987, 1597};
        int odd = index & 1;
        return table[odd] * ((work + 1) / 2) + table[odd + 1] * (work / 2);
    }
}
