package perflab.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures one scenario of one variant: a {@code start} line, {@code sample} lines, an {@code end} line. */
@Command(name = "run", mixinStandardHelpOptions = true, description = "Measure one scenario of one variant.")
final class RunCommand<S> implements Callable<Integer> {

    /** How many times as long as asked a sample may last by the wall clock. */
    private static final int MOST_WALL = 4;

    private final Bench<S> bench;
    private final ProtocolWriter writer;

    @Option(names = "--scenario", required = true, paramLabel = "NAME", description = "What to measure.")
    private String scenarioName;

    @Option(names = "--variant", required = true, paramLabel = "NAME", description = "Which implementation.")
    private String variantName;

    @Option(names = "--plugin", paramLabel = "PATH", description = "A jar with variants of your own.")
    private Path plugin;

    @Option(names = "--param", paramLabel = "NAME=VALUE", description = "A parameter of the scenario; repeatable.")
    private Map<String, String> params = new LinkedHashMap<>();

    @Option(names = "--warmup-ms", paramLabel = "N", defaultValue = "1000", description = "Default ${DEFAULT-VALUE}.")
    private long warmupMs;

    @Option(names = "--sample-ms", paramLabel = "N", defaultValue = "1000", description = "Default ${DEFAULT-VALUE}.")
    private long sampleMs;

    @Option(names = "--samples", paramLabel = "N", defaultValue = "5", description = "Default ${DEFAULT-VALUE}.")
    private int samples;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default ${DEFAULT-VALUE}.")
    private long seed;

    RunCommand(Bench<S> bench, ProtocolWriter writer) {
        this.bench = bench;
        this.writer = writer;
    }

    @Override
    public Integer call() throws Exception {
        requireAtLeast("--warmup-ms", warmupMs, 0);
        requireAtLeast("--sample-ms", sampleMs, 1);
        requireAtLeast("--samples", samples, 1);
        Scenario<S> scenario = bench.scenario(scenarioName);
        Variant<S> variant = bench.variant(variantName, plugin == null ? "" : plugin.toString());
        if (!variant.supports(scenarioName)) {
            throw new UsageException("variant '" + variantName + "' does not support scenario '" + scenarioName + "'");
        }
        Parameters parameters = Parameters.bind(scenario.spec().parameters(), params);

        writer.line(start(parameters));
        Checks checks = new Checks();
        Totals totals = new Totals();
        switch (scenario) {
            case OwnClockScenario<S> ownClock -> {
                Setting setting = new Setting(parameters, seed, checks);
                try (Experiment experiment = ownClock.opening().open(variant.subject(), setting)) {
                    measure(experiment, totals);
                }
            }
            case JmhScenario<S> jmh -> {
                JmhRunner.run(jmh, jmhParams(parameters), warmupMs, sampleMs, samples, writer, totals);
                checks.require(jmh.check(), totals.samples() == samples, () -> totals.samples() + " samples");
            }
        }
        writer.line(end(totals, checks.passed()));
        return 0;
    }

    private static void requireAtLeast(String option, long value, long least) {
        if (value < least) {
            throw new UsageException(option + " cannot be '" + value + "'");
        }
    }

    /**
     * Repeats the experiment until it is warm, then until each sample has lasted long enough. A sample is written after
     * its last timed region and before the next one.
     */
    private void measure(Experiment experiment, Totals totals) throws Exception {
        if (warmupMs > 0) {
            repeatFor(TimeUnit.MILLISECONDS.toNanos(warmupMs), experiment);
        }
        long enough = TimeUnit.MILLISECONDS.toNanos(sampleMs);
        for (int i = 0; i < samples; i++) {
            TimedRegion.begin();
            Sample sample = repeatFor(enough, experiment);
            TimedRegion.end();
            totals.add(sample.ops(), sample.ns());
            writer.line(sample.toJson(i));
        }
    }

    private static Sample repeatFor(long nanoseconds, Experiment experiment) throws Exception {
        Sample sample = new Sample();
        long begun = System.nanoTime();
        do {
            long before = sample.ns();
            experiment.repeat(sample);
            if (sample.ns() == before) {
                throw new IllegalStateException("a repetition recorded no time: the sample would never end");
            }
        } while (sample.ns() < nanoseconds && System.nanoTime() - begun < MOST_WALL * nanoseconds);
        return sample;
    }

    private Map<String, String> jmhParams(Parameters parameters) {
        Map<String, String> jmhParams = new LinkedHashMap<>();
        parameters.toJson().forEach((name, value) -> jmhParams.put(name, value.toString()));
        jmhParams.put("variant", variantName);
        jmhParams.put("plugin", plugin == null ? "" : plugin.toAbsolutePath().toString());
        jmhParams.put("seed", Long.toString(seed));
        return jmhParams;
    }

    private Map<String, Object> start(Parameters parameters) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "start");
        line.put("protocol", Bench.PROTOCOL_VERSION);
        line.put("component", bench.component());
        line.put("scenario", scenarioName);
        line.put("variant", variantName);
        line.put("params", parameters.toJson());
        line.put("seed", seed);
        line.put("runtime", ProtocolWriter.runtime());
        return line;
    }

    private static Map<String, Object> end(Totals totals, List<String> checks) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "end");
        line.put("samples", totals.samples());
        line.put("ops", ProtocolWriter.shortest(totals.ops()));
        line.put("ns", ProtocolWriter.shortest(totals.ns()));
        line.put("validation", Map.of("passed", true, "checks", checks));
        return line;
    }

    /** What all samples of a run add up to. */
    static final class Totals {

        private int samples;
        private double ops;
        private double ns;

        void add(double sampleOps, double sampleNs) {
            samples++;
            ops += sampleOps;
            ns += sampleNs;
        }

        int samples() {
            return samples;
        }

        double ops() {
            return ops;
        }

        double ns() {
            return ns;
        }
    }
}
