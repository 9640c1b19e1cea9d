package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/** Memory: what actors that are alive and have handled a message hold. */
final class LiveScenario implements OwnClockScenario<Design> {

    private static final ScenarioSpec SPEC = Knobs.addTo(ScenarioSpec.named(Scenarios.LIVE)
                    .title("Live actors")
                    .operation("one actor, spawned and alive")
                    .headline("counter:heap_bytes/op", "bytes/actor", Better.LOWER)
                    .metric("resident", "counter:resident_bytes/op", "bytes/actor, heap and outside it", Better.LOWER)
                    .metric("time", "time", "ns/actor", Better.LOWER)
                    .parameter(Parameter.ofInt("actors", 10_000, 1, 1_000_000, "actors alive at once")))
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        return new Live(design, setting);
    }
}
