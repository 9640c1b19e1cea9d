package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/** The report's benchmarks: small tasks handed to actors, timed until the last one's result is there. */
final class TaskScenario implements OwnClockScenario<Design> {

    /** Whether actors are there before the clock starts, or are spawned and stopped while it runs. */
    private static final String CREATED = "created";

    private static final String INSIDE = "inside";

    private final ScenarioSpec spec;
    private final boolean one;

    private TaskScenario(ScenarioSpec.Builder spec, boolean one) {
        this.one = one;
        this.spec = Knobs.addTo(spec.headline("time", "ns/task", Better.LOWER)
                        .metric("allocated", "counter:allocated_bytes/op", "bytes/task", Better.LOWER)
                        .parameter(created())
                        .parameter(Parameter.ofInt(
                                "work", 20, 0, 100_000, "Fibonacci numbers that a task computes; upstream: 20")))
                .build();
    }

    /** One task. */
    static TaskScenario single() {
        return new TaskScenario(
                ScenarioSpec.named("single").title("A single task").operation("one task, from sent to its result"),
                true);
    }

    /** Many actors, one task each. */
    static TaskScenario batch() {
        return new TaskScenario(
                ScenarioSpec.named("batch")
                        .title("A batch: many actors, one task each")
                        .operation("one task of a batch, from the first sent to the last result")
                        .parameter(Parameter.ofInt("tasks", 100, 1, 100_000, "tasks in a batch"))
                        .parameter(
                                Parameter.ofInt("actors", 100, 1, 100_000, "actors that they are dealt to, in turn")),
                false);
    }

    /** A few actors that are used again and again. */
    static TaskScenario pooled() {
        return new TaskScenario(
                ScenarioSpec.named("pooled")
                        .title("A pool of actors")
                        .operation("one task of a batch, from the first sent to the last result")
                        .parameter(Parameter.ofInt("tasks", 100, 1, 100_000, "tasks in a batch"))
                        .parameter(Parameter.ofInt("actors", 10, 1, 100_000, "actors that they are dealt to, in turn")),
                false);
    }

    private static Parameter created() {
        return Parameter.ofChoice(
                CREATED,
                "before",
                List.of("before", INSIDE),
                "inside: actors are spawned and stopped while the clock runs, as in upstream's benchmark");
    }

    @Override
    public ScenarioSpec spec() {
        return spec;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        int tasks = one ? 1 : setting.parameters().getInt("tasks");
        int actors = one ? 1 : setting.parameters().getInt("actors");
        return setting.parameters().getString(CREATED).equals(INSIDE)
                ? Tasks.spawningInside(design, setting, tasks, actors)
                : Tasks.spawnedBefore(design, setting, tasks, actors);
    }
}
