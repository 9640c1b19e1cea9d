package perflab.bench;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A component whose subject is a number to sum up to, and what its program printed. */
final class Fixture {

    /** What a plug-in for the fixture would implement. */
    interface Tool {}

    /** Counts its repetitions, each of one second by its own account. */
    static final class Counting {

        static final ScenarioSpec SPEC = ScenarioSpec.of("counting", "Counting", "a count")
                .headline("rate", "counts/s", Better.HIGHER)
                .metric("odd", "counter:odd/op", "odd counts/count", Better.LOWER)
                .parameter(Parameter.ofInt("step", 1, 1, 10, "how far a count goes"))
                .parameter(Parameter.ofFloat("ratio", 0.5, 0, 1, "unused"))
                .parameter(Parameter.ofBool("fail", false, "whether validation fails"))
                .parameter(Parameter.ofChoice(
                        "mode", "plain", List.of("plain", "throwing", "void", "idle"), "how it behaves"))
                .build();

        final List<Long> seeds = new ArrayList<>();
        int repetitions;
        boolean closed;

        Experiment open(Integer subject, Setting setting) {
            seeds.add(setting.random().nextLong());
            return new Experiment() {
                @Override
                public void repeat(Sample sample) throws InterruptedException {
                    repetitions++;
                    if (setting.parameters().getString("mode").equals("idle")) {
                        Thread.sleep(5);
                        sample.add(1, 100_000);
                        return;
                    }
                    if (setting.parameters().getString("mode").equals("void")) {
                        throw new VoidException("1001 overruns, 1000 are allowed");
                    }
                    if (setting.parameters().getString("mode").equals("throwing")) {
                        throw new IllegalStateException("thrown on purpose");
                    }
                    setting.checks()
                            .require(
                                    "counts are right", !setting.parameters().getBoolean("fail"), () -> "they are not");
                    sample.add(setting.parameters().getInt("step"), 1_000_000_000);
                    sample.latency(1_000);
                    sample.count("odd", subject % 2);
                }

                @Override
                public void close() {
                    closed = true;
                }
            };
        }
    }

    final Counting counting = new Counting();
    private final Bench<Integer> bench = Bench.<Integer>of("fixture")
            .scenario(new OwnClockScenario<>(Counting.SPEC, counting::open))
            .scenario(SummingBenchmark.SCENARIO)
            .variant(new Variant<>("three", Role.BEFORE, "the number 3", "Three.java", 3))
            .variant(new Variant<>("four", Role.AFTER, "the number 4", "Four.java", 4, List.of("counting")))
            .contract(List.of(
                    new Check<>("is positive", number -> Check.require(number > 0, number + " is not")),
                    new Check<>("is even", number -> Check.require(number % 2 == 0, number + " is odd"))))
            .plugins(Tool.class, instances -> 7);

    final List<Map<String, Object>> lines = new ArrayList<>();
    String text = "";

    /** Runs the program and keeps what it printed; returns its exit status. */
    int run(String... args) throws IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        int exit = bench.run(args, new PrintStream(printed, true, StandardCharsets.UTF_8));
        text = printed.toString(StandardCharsets.UTF_8);
        lines.clear();
        for (String line : text.lines().filter(line -> line.startsWith("{")).toList()) {
            lines.add(JSON.std.mapFrom(line));
        }
        return exit;
    }

    List<Object> types() {
        return lines.stream().map(line -> line.get("type")).toList();
    }

    Map<String, Object> last() {
        return lines.getLast();
    }
}
