package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/** What an actor costs before it does anything, as a whole and by the parts that the report lists. */
final class SpawnScenario implements OwnClockScenario<Design> {

    private static final ScenarioSpec SPEC = describe();

    private static ScenarioSpec describe() {
        ScenarioSpec.Builder spec = ScenarioSpec.named("spawn")
                .title("Spawning actors")
                .operation("one actor, from spawn to its first message handled")
                .headline("time", "ns/actor", Better.LOWER)
                .metric("spawn", "counter:spawn_ns/op", "ns/actor", Better.LOWER)
                .metric("allocated", "counter:allocated_bytes/op", "bytes/actor", Better.LOWER);
        for (SpawnPart part : SpawnPart.values()) {
            spec.metric(part.metric(), "counter:" + part.counter() + "/op", "ns/actor", Better.LOWER);
        }
        return Knobs.addTo(spec.parameter(
                        Parameter.ofInt("actors", 1_000, 1, 100_000, "actors spawned in one repetition")))
                .build();
    }

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        return new Spawn(design, setting);
    }
}
