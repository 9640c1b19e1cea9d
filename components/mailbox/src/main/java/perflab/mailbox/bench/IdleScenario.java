package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/** Cost at rest: what actors that have nothing to do take of the processor. */
final class IdleScenario implements OwnClockScenario<Design> {

    private static final ScenarioSpec SPEC = Knobs.addTo(ScenarioSpec.named("idle")
                    .title("Idle actors")
                    .operation("one actor idle for one second")
                    .headline("counter:cpu_ns/ns", "cores", Better.LOWER)
                    .metric("per-actor", "counter:cpu_ns/op", "ns of CPU per actor and second", Better.LOWER)
                    .metric("per-poll", "counter:poll_ns/op", "ns of CPU per poll", Better.LOWER)
                    .parameter(Parameter.ofInt("actors", 1_000, 1, 100_000, "actors that wait for a message")))
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) throws InterruptedException {
        return new Idle(design, setting);
    }
}
