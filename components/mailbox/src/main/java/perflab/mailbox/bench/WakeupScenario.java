package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;
import perflab.bench.UsageException;

/** Latency: how long an idle actor takes to handle what arrives after a pause. */
final class WakeupScenario implements OwnClockScenario<Design> {

    private final ScenarioSpec spec;
    private final boolean freshActor;

    private WakeupScenario(ScenarioSpec spec, boolean freshActor) {
        this.spec = spec;
        this.freshActor = freshActor;
    }

    /** One message at a time to one actor that lives throughout the fork. */
    static WakeupScenario ofOneMessage() {
        ScenarioSpec.Builder spec = ScenarioSpec.named("wakeup")
                .title("Wake-up of an idle actor")
                .operation("a message to an idle actor, from send to handled");
        return new WakeupScenario(common(spec).build(), false);
    }

    /** A burst to a new actor: its mailbox has its initial size, and may have to grow while the actor is parked. */
    static WakeupScenario ofFirstBurst() {
        ScenarioSpec.Builder spec = ScenarioSpec.named("wakeup-burst")
                .title("First burst to an idle actor")
                .operation("a burst to a new, idle actor, from its first send to its last message handled")
                .parameter(Parameter.ofInt("burst", 60, 1, 10_000, "messages in the burst"));
        return new WakeupScenario(common(spec).build(), true);
    }

    private static ScenarioSpec.Builder common(ScenarioSpec.Builder spec) {
        return Knobs.addTo(spec.headline("p50", "ns", Better.LOWER)
                .metric("p99", "p99", "ns", Better.LOWER)
                .metric("max", "max", "ns", Better.LOWER)
                .metric("stalls", "counter:stalls/op", "stalls/wake-up", Better.LOWER)
                .parameter(Parameter.ofInt("min-gap-us", 200, 0, 1_000_000, "shortest pause before a send, in us"))
                .parameter(Parameter.ofInt("max-gap-us", 2_000, 0, 1_000_000, "longest pause before a send, in us"))
                .parameter(Parameter.ofInt("stall-ms", 50, 1, 10_000, "a wake-up longer than this is a stall, in ms")));
    }

    @Override
    public ScenarioSpec spec() {
        return spec;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        long shortest = setting.parameters().getLong("min-gap-us");
        long longest = setting.parameters().getLong("max-gap-us");
        if (shortest > longest) {
            throw new UsageException(
                    "parameter 'min-gap-us' cannot be " + shortest + " when 'max-gap-us' is " + longest,
                    List.of("a whole number from 0 to " + longest));
        }
        int burst = freshActor ? setting.parameters().getInt("burst") : 1;
        return new Wakeup(design, setting, burst, freshActor);
    }
}
