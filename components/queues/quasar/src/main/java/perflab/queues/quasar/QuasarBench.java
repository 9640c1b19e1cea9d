package perflab.queues.quasar;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import perflab.queues.Pipeline;
import perflab.queues.Shape;
import perflab.queues.contract.Promise;
import perflab.queues.contract.Promises;
import perflab.queues.modes.Game;
import perflab.queues.modes.HardLimitException;
import perflab.queues.modes.Knob;
import perflab.queues.modes.Mode;
import perflab.queues.modes.Outcome;
import perflab.queues.modes.Values;

/** The program: {@code run} and {@code contract} of the bench protocol, with the options that the lab gives. */
public final class QuasarBench {

    private static final String CHECK = "every run has the direct loop's result";
    private static final long PROMISE_LIMIT_MS = 20_000;
    private static final double[] LADDER = {0, 50, 75, 90, 95, 99, 99.9, 99.99};

    private final PrintStream out;
    private final Map<String, String> options = new HashMap<>();
    private final Map<String, String> params = new LinkedHashMap<>();

    private QuasarBench(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        QuasarBench bench = new QuasarBench(System.out);
        // Whatever a library prints must not end up between the lines of the protocol.
        System.setOut(System.err);
        int status;
        try {
            status = bench.execute(args);
        } catch (Failure failure) {
            bench.write(failure.toJson());
            status = failure.exitStatus();
        } catch (Exception problem) {
            problem.printStackTrace();
            Failure failure = new Failure(Failure.INTERNAL, problem.toString(), List.of());
            bench.write(failure.toJson());
            status = failure.exitStatus();
        }
        System.exit(status);
    }

    private int execute(String[] args) throws Exception {
        for (int i = 1; i + 1 < args.length; i += 2) {
            if (args[i].equals("--param")) {
                String[] parts = args[i + 1].split("=", 2);
                params.put(parts[0], parts.length == 2 ? parts[1] : "");
            } else {
                options.put(args[i], args[i + 1]);
            }
        }
        switch (args.length == 0 ? "" : args[0]) {
            case "run":
                return run();
            case "contract":
                return contract();
            default:
                throw new Failure(Failure.USAGE, "no command was given", List.of("run", "contract"));
        }
    }

    private String option(String name) {
        if (!options.containsKey(name)) {
            throw new Failure(Failure.USAGE, "missing option '" + name + "'", List.of());
        }
        return options.get(name);
    }

    private long number(String name, long otherwise) {
        String text = options.getOrDefault(name, Long.toString(otherwise));
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new Failure(Failure.USAGE, name + " cannot be '" + text + "'", List.of("a whole number"));
        }
    }

    private void write(Map<String, ?> line) throws IOException {
        out.println(JSON.std.asString(line));
        out.flush();
    }

    private int run() throws Exception {
        Java11Variant variant = Java11Variant.named(option("--variant"));
        Map<Knob, Object> knobs = bind(option("--scenario"));
        long samples = number("--samples", 5);
        long sampleMs = number("--sample-ms", 1_000);
        long warmupMs = number("--warmup-ms", 1_000);
        Map<String, Object> start = new LinkedHashMap<>();
        start.put("type", "start");
        start.put("protocol", 1);
        start.put("component", "queues");
        start.put("scenario", option("--scenario"));
        start.put("variant", option("--variant"));
        Map<String, Object> values = new LinkedHashMap<>();
        knobs.forEach((knob, value) -> values.put(knob.key(), value));
        start.put("params", values);
        start.put("seed", number("--seed", 1)); // nothing here is random
        Map<String, Object> runtime = new LinkedHashMap<>();
        runtime.put("name", System.getProperty("java.vm.name"));
        runtime.put("version", System.getProperty("java.runtime.version"));
        runtime.put("flags", ManagementFactory.getRuntimeMXBean().getInputArguments());
        start.put("runtime", runtime);
        long runs = 0;
        long ns = 0;
        try (Pipeline pipeline = variant.open();
                Game game = new Game(Values.of(knobs))) {
            write(start);
            Shape shape = game.shape(variant.crew());
            if (warmupMs > 0) {
                sample(game, pipeline, shape, warmupMs);
            }
            for (int i = 0; i < samples; i++) {
                Map<String, Object> sample = sample(game, pipeline, shape, sampleMs);
                runs += (Long) sample.get("ops");
                ns += (Long) sample.get("ns");
                sample.put("i", i);
                write(sample);
            }
        }
        Map<String, Object> end = new LinkedHashMap<>();
        end.put("type", "end");
        end.put("samples", samples);
        end.put("ops", runs);
        end.put("ns", ns);
        end.put("validation", Map.of("passed", true, "checks", List.of(CHECK)));
        write(end);
        return 0;
    }

    /** As many runs as fit into the time. */
    private static Map<String, Object> sample(Game game, Pipeline pipeline, Shape shape, long ms) throws Exception {
        Histogram times = new Histogram(3);
        Map<String, Long> counters = new TreeMap<>();
        long runs = 0;
        long ns = 0;
        do {
            Outcome outcome;
            try {
                outcome = game.play(pipeline, shape);
            } catch (HardLimitException broken) {
                throw new Failure(Failure.VOID, broken.getMessage(), List.of());
            }
            String fault = game.fault(outcome);
            if (!fault.isEmpty()) {
                throw new Failure(Failure.VALIDATION, CHECK + ": " + fault, List.of());
            }
            runs++;
            ns += outcome.ns();
            times.recordValue(outcome.ns());
            outcome.counters().forEach((counter, amount) -> counters.merge(counter, amount, Long::sum));
        } while (ns < TimeUnit.MILLISECONDS.toNanos(ms));
        Map<String, Long> percentiles = new LinkedHashMap<>();
        for (double rank : LADDER) {
            percentiles.put(rank == Math.rint(rank) ? "p" + (int) rank : "p" + rank, times.getValueAtPercentile(rank));
        }
        percentiles.put("max", times.getMaxValue());
        Map<String, Object> sample = new LinkedHashMap<>();
        sample.put("type", "sample");
        sample.put("ops", runs);
        sample.put("ns", ns);
        sample.put("percentiles", percentiles);
        sample.put("counters", counters);
        return sample;
    }

    /** The values of the mode's knobs, with those that were given checked against what the mode declares. */
    private Map<Knob, Object> bind(String scenario) {
        Mode mode = Arrays.stream(Mode.values())
                .filter(each -> each.key().equals(scenario))
                .findFirst()
                .orElseThrow(() -> new Failure(
                        Failure.USAGE,
                        "unknown scenario '" + scenario + "'",
                        Arrays.stream(Mode.values()).map(Mode::key).collect(Collectors.toList())));
        Map<Knob, Object> values = new EnumMap<>(mode.defaults());
        params.forEach((key, text) -> {
            Knob knob = Arrays.stream(Knob.values())
                    .filter(each -> each.key().equals(key))
                    .findFirst()
                    .orElseThrow(() -> new Failure(
                            Failure.USAGE,
                            "unknown parameter '" + key + "'",
                            Arrays.stream(Knob.values()).map(Knob::key).collect(Collectors.toList())));
            values.put(knob, knob.isText() ? text : (Object) number(knob, text));
        });
        return values;
    }

    private static Long number(Knob knob, String text) {
        long number;
        try {
            number = Long.parseLong(text);
        } catch (NumberFormatException e) {
            number = knob.min() - 1;
        }
        if (number < knob.min() || number > knob.max()) {
            throw new Failure(
                    Failure.USAGE,
                    "parameter '" + knob.key() + "' cannot be '" + text + "'",
                    List.of("a whole number from " + knob.min() + " to " + knob.max()));
        }
        return number;
    }

    private int contract() throws IOException, InterruptedException {
        Java11Variant variant = Java11Variant.named(option("--variant"));
        variant.open().close(); // refuses here, not once for each promise
        List<Promise> promises = Promises.all();
        int failed = 0;
        for (Promise promise : promises) {
            String evidence = against(promise, variant);
            failed += evidence.isEmpty() ? 0 : 1;
            Map<String, Object> check = new LinkedHashMap<>();
            check.put("type", "check");
            check.put("variant", variant.key());
            check.put("name", promise.statement());
            check.put("passed", evidence.isEmpty());
            check.put("message", evidence);
            write(check);
        }
        write(Map.of("type", "end", "checks", promises.size(), "failed", failed));
        return failed == 0 ? 0 : 4;
    }

    /** What speaks against it; empty if nothing does. */
    private static String against(Promise promise, Java11Variant variant) throws InterruptedException {
        FutureTask<Void> test = new FutureTask<>(() -> {
            promise.test(variant::open);
            return null;
        });
        Thread thread = new Thread(test, "check: " + promise.statement());
        thread.setDaemon(true);
        thread.start();
        try {
            test.get(PROMISE_LIMIT_MS, TimeUnit.MILLISECONDS);
            return "";
        } catch (ExecutionException e) {
            return e.getCause().toString();
        } catch (TimeoutException e) {
            thread.interrupt();
            return "did not end within " + PROMISE_LIMIT_MS + " ms";
        }
    }
}
