package perflab.queues.quasar;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import perflab.queues.Pipeline;
import perflab.queues.Shape;
import perflab.queues.modes.Game;
import perflab.queues.modes.HardLimitException;
import perflab.queues.modes.Outcome;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures one mode of one variant: a {@code start} line, {@code sample} lines, an {@code end} line. */
@Command(name = "run", mixinStandardHelpOptions = true, description = "Measure one mode of one variant.")
final class RunCommand implements Callable<Integer> {

    private static final String CHECK = "every run has the direct loop's result";

    private final Lines lines;

    @Option(names = "--scenario", required = true, paramLabel = "NAME", description = "The mode.")
    private String scenario;

    @Option(names = "--variant", required = true, paramLabel = "NAME", description = "Which implementation.")
    private String variantName;

    @Option(names = "--param", paramLabel = "NAME=VALUE", description = "A parameter of the mode; repeatable.")
    private Map<String, String> params = new LinkedHashMap<>();

    @Option(names = "--warmup-ms", paramLabel = "N", defaultValue = "1000", description = "Default ${DEFAULT-VALUE}.")
    private long warmupMs;

    @Option(names = "--sample-ms", paramLabel = "N", defaultValue = "1000", description = "Default ${DEFAULT-VALUE}.")
    private long sampleMs;

    @Option(names = "--samples", paramLabel = "N", defaultValue = "5", description = "Default ${DEFAULT-VALUE}.")
    private int samples;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Nothing here is random.")
    private long seed;

    RunCommand(Lines lines) {
        this.lines = lines;
    }

    @Override
    public Integer call() throws Exception {
        Java11Variant variant = Java11Variant.named(variantName);
        Knobs knobs = Knobs.bind(scenario, params);
        try (Pipeline pipeline = variant.open();
                Game game = new Game(knobs.values())) {
            lines.write(start(knobs));
            measure(game, pipeline, game.shape(variant.crew()));
        }
        return 0;
    }

    private void measure(Game game, Pipeline pipeline, Shape shape) throws Exception {
        if (warmupMs > 0) {
            play(game, pipeline, shape, warmupMs);
        }
        long runs = 0;
        long ns = 0;
        for (int i = 0; i < samples; i++) {
            Sample sample = play(game, pipeline, shape, sampleMs);
            runs += sample.runs();
            ns += sample.ns();
            lines.write(sample.toJson(i));
        }
        lines.write(end(runs, ns));
    }

    private static Sample play(Game game, Pipeline pipeline, Shape shape, long ms) throws Exception {
        Sample sample = new Sample();
        do {
            Outcome outcome = play(game, pipeline, shape);
            String fault = game.fault(outcome);
            if (!fault.isEmpty()) {
                throw new Failure(Failure.VALIDATION, CHECK + ": " + fault, List.of());
            }
            sample.add(outcome);
        } while (sample.ns() < TimeUnit.MILLISECONDS.toNanos(ms));
        return sample;
    }

    private static Outcome play(Game game, Pipeline pipeline, Shape shape) throws Exception {
        try {
            return game.play(pipeline, shape);
        } catch (HardLimitException broken) {
            throw new Failure(Failure.VOID, broken.getMessage(), List.of());
        }
    }

    private Map<String, Object> start(Knobs knobs) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "start");
        line.put("protocol", 1);
        line.put("component", "queues");
        line.put("scenario", scenario);
        line.put("variant", variantName);
        line.put("params", knobs.toJson());
        line.put("seed", seed);
        line.put("runtime", RuntimeInfo.toJson());
        return line;
    }

    private Map<String, Object> end(long runs, long ns) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "end");
        line.put("samples", samples);
        line.put("ops", runs);
        line.put("ns", ns);
        line.put("validation", Map.of("passed", true, "checks", List.of(CHECK)));
        return line;
    }
}
