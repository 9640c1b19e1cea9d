package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;

/**
 * Overload: a burst that is longer than any bound, to an actor slower than its sender. A mailbox may refuse, or let the
 * sender wait, or take everything and make the messages wait instead; it may not lose any.
 *
 * <p>The defaults are what was done to upstream's after-state: 50,000 messages to a slow actor. Its {@code tell} ignores the
 * mailbox's refusal, so that 40,000 of them were gone without a trace. Here each refusal is counted, and a run in which an
 * accepted message is not handled has no figures at all.
 *
 * <p>{@code blocked} is the time between a refusal and the acceptance. A system whose {@code tell} waits by itself refuses
 * nothing, and shows that time in {@code sending} only.
 *
 * <p>Delays compare only among those who refused as much: a short queue that drops its messages has short delays.
 */
final class BackpressureScenario implements OwnClockScenario<Design> {

    private static final ScenarioSpec SPEC = Knobs.addTo(ScenarioSpec.named("backpressure")
                    .title("A burst to a slow actor")
                    .operation("a message, sent, and handled or refused")
                    .headline("p99", "ns", Better.LOWER)
                    .metric("p50", "p50", "ns", Better.LOWER)
                    .metric("max", "max", "ns", Better.LOWER)
                    .metric("refused", "counter:refused/op", "refusals/message", Better.LOWER)
                    .metric("dropped", "counter:dropped/op", "dropped/message", Better.LOWER)
                    .metric("largest-backlog", "counter:largest_backlog/op", "of the burst", Better.LOWER)
                    .metric("sending", "counter:sending_ns/op", "ns/message", Better.LOWER)
                    .metric("blocked", "counter:blocked_ns/op", "ns/message", Better.LOWER)
                    .metric("handled", "counter:handled/s", "messages/s", Better.HIGHER)
                    .parameter(Parameter.ofInt("messages", 50_000, 64, 4_000_000, "messages in a burst"))
                    .parameter(Parameter.ofChoice(
                            "when-full",
                            WhenFull.names().getFirst(),
                            WhenFull.names(),
                            "what the sender does about a refused message; upstream: drop"))
                    .parameter(Parameter.ofInt(
                            "work", 1_000, 0, 100_000, "work per message, in tokens of JMH's Blackhole")))
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        return new Backpressure(design, setting);
    }
}
