package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/**
 * Throughput: several threads send to one actor as fast as they can.
 *
 * <p>By default a burst is as long as in upstream's own benchmark, and fits into every mailbox. Longer ones fill the bounded
 * mailboxes: refusals are counted, and {@code resizable} begins to swap its queue in mid-burst.
 */
final class BurstScenario implements OwnClockScenario<Design> {

    private static final ScenarioSpec SPEC = Knobs.addTo(ScenarioSpec.named("burst")
                    .title("Burst to one actor")
                    .operation("a message, sent and handled")
                    .headline("rate", "messages/s", Better.HIGHER)
                    .metric("refused", "counter:refused/op", "refusals/message", Better.LOWER)
                    .metric("allocated", "counter:allocated_bytes/op", "bytes/message", Better.LOWER)
                    .parameter(Parameter.ofInt("producers", 2, 1, 64, "threads that send"))
                    .parameter(
                            Parameter.ofInt("messages", 5_000, 64, 10_000_000, "messages in a burst, of all producers"))
                    .parameter(
                            Parameter.ofInt("work", 0, 0, 100_000, "work per message, in tokens of JMH's Blackhole")))
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        return new Burst(design, setting);
    }
}
