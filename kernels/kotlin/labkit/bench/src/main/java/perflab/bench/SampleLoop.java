package perflab.bench;

import java.util.concurrent.TimeUnit;

/** Warm-up and samples of a scenario that keeps its own clock. */
final class SampleLoop {

    private SampleLoop() {}

    /**
     * Repeats the experiment until it is warm, then until each sample has lasted long enough. A sample is written after
     * its last timed region and before the next one.
     */
    static void run(Experiment experiment, RunOptions options, ProtocolWriter writer, Totals totals) throws Exception {
        long warm = TimeUnit.MILLISECONDS.toNanos(options.warmupMs());
        if (warm > 0) {
            repeatFor(warm, experiment);
        }
        long enough = TimeUnit.MILLISECONDS.toNanos(options.sampleMs());
        for (int i = 0; i < options.samples(); i++) {
            TimedRegion.begin();
            Sample sample = repeatFor(enough, experiment);
            TimedRegion.end();
            totals.add(sample.ops(), sample.ns());
            writer.line(sample.toJson(i));
        }
    }

    private static Sample repeatFor(long nanoseconds, Experiment experiment) throws Exception {
        Sample sample = new Sample();
        do {
            long before = sample.ns();
            experiment.repeat(sample);
            if (sample.ns() == before) {
                throw new IllegalStateException("a repetition recorded no time: the sample would never end");
            }
        } while (sample.ns() < nanoseconds);
        return sample;
    }
}
