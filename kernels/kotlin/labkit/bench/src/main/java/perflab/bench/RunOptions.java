package perflab.bench;

import java.util.List;

/**
 * How long to measure.
 *
 * @param warmupMs how long to run before the first sample, in milliseconds
 * @param sampleMs the intended length of a sample, in milliseconds
 * @param samples how many samples
 * @param seed makes whatever is random repeatable
 */
record RunOptions(long warmupMs, long sampleMs, int samples, long seed) {

    RunOptions {
        requireAtLeast("--warmup-ms", warmupMs, 0);
        requireAtLeast("--sample-ms", sampleMs, 1);
        requireAtLeast("--samples", samples, 1);
    }

    private static void requireAtLeast(String option, long value, long least) {
        if (value < least) {
            throw new UsageException(option + " cannot be " + value, List.of("a whole number of at least " + least));
        }
    }
}
