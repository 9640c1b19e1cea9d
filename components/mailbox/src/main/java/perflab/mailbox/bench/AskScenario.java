package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/**
 * Request and reply: how long threads that ask an actor wait for the answer, and what an ask leaves to the garbage collector.
 *
 * <p>It is a closed loop: an asker that waits asks nothing meanwhile, so a stall counts once, however many questions it held
 * up. {@link ThroughputScenario} is the open loop.
 */
final class AskScenario implements OwnClockScenario<Design> {

    private static final ScenarioSpec SPEC = Knobs.addTo(ScenarioSpec.named("ask")
                    .title("Ask and wait for the answer")
                    .operation("a question, from ask to the answer in the asking thread's hand")
                    .headline("p50", "ns", Better.LOWER)
                    .metric("p99", "p99", "ns", Better.LOWER)
                    .metric("rate", "rate", "asks/s", Better.HIGHER)
                    .metric("allocated", "counter:allocated_bytes/op", "B/ask", Better.LOWER)
                    .metric("refused", "counter:refused/op", "refusals/ask", Better.LOWER)
                    .parameter(Parameter.ofInt("askers", 1, 1, 64, "threads that ask"))
                    .parameter(Parameter.ofInt("outstanding", 1, 1, 1_000, "questions in flight from one asker"))
                    .parameter(Parameter.ofInt(
                            "questions", 1_000, 64, 1_000_000, "questions in a repetition, of all askers"))
                    .parameter(
                            Parameter.ofInt("work", 0, 0, 100_000, "work per question, in tokens of JMH's Blackhole")))
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        return new Ask(design, setting);
    }
}
