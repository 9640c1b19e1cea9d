package perflab.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures one scenario of one variant: a {@code start} line, {@code sample} lines, an {@code end} line. */
@Command(name = "run", mixinStandardHelpOptions = true, description = "Measure one scenario of one variant.")
final class RunCommand<S> implements Callable<Integer> {

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
        RunOptions options = new RunOptions(warmupMs, sampleMs, samples, seed);
        Scenario<S> scenario = bench.scenario(scenarioName);
        Variant<S> variant = bench.variant(variantName, plugin == null ? "" : plugin.toString());
        if (!variant.supports(scenarioName)) {
            throw new UsageException(
                    "variant '" + variantName + "' does not support scenario '" + scenarioName + "'",
                    variant.scenarios());
        }
        Parameters parameters = Parameters.bind(scenario.spec().parameters(), params);

        writer.line(start(parameters));
        Checks checks = new Checks();
        Totals totals = new Totals();
        switch (scenario) {
            case OwnClockScenario<S> ownClock -> {
                Setting setting = new Setting(parameters, seed, checks);
                try (Experiment experiment = ownClock.opening().open(variant.subject(), setting)) {
                    SampleLoop.run(experiment, options, writer, totals);
                }
            }
            case JmhScenario<S> jmh -> {
                JmhRunner.run(jmh, jmhParams(parameters), options, writer, totals);
                checks.require(jmh.check(), totals.samples() == samples, () -> totals.samples() + " samples");
            }
        }
        writer.line(end(totals, checks.passed()));
        return 0;
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
        line.put("runtime", RuntimeInfo.toJson());
        return line;
    }

    private static Map<String, Object> end(Totals totals, List<String> checks) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "end");
        line.put("samples", totals.samples());
        line.put("ops", Numbers.shortest(totals.ops()));
        line.put("ns", Numbers.shortest(totals.ns()));
        line.put("validation", Map.of("passed", true, "checks", checks));
        return line;
    }
}
