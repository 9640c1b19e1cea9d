package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Parameter;
import perflab.bench.ScenarioSpec;
import perflab.mailbox.actor.ThreadKind;

/** Parameters that all scenarios with actors share; {@link Conditions} is how they are read. */
final class Knobs {

    static final String POLL_MS = "poll-ms";
    static final String YIELD = "yield";
    static final String BATCH_SIZE = "batch-size";
    static final String CAPACITY = "capacity";
    static final String CONSUMER = "consumer";

    private Knobs() {}

    static ScenarioSpec.Builder addTo(ScenarioSpec.Builder spec) {
        return spec.parameter(Parameter.ofChoice(
                        CONSUMER,
                        ThreadKind.names().getFirst(),
                        ThreadKind.names(),
                        "what the actor runs on; upstream: a virtual thread"))
                .parameter(Parameter.ofInt(
                        POLL_MS,
                        0,
                        0,
                        60_000,
                        "how long the actor's poll waits at most, in ms; 0: what the variant does"))
                .parameter(Parameter.ofChoice(
                        YIELD,
                        "auto",
                        List.of("auto", "on", "off"),
                        "yield after a poll that brought nothing; auto: what the variant does"))
                .parameter(Parameter.ofInt(
                        BATCH_SIZE,
                        0,
                        0,
                        10_000,
                        "messages the actor takes before it handles them; 0: what the variant does"))
                .parameter(Parameter.ofInt(
                        CAPACITY, 0, 0, 1 << 24, "bound of mailboxes that have one; 0: what the variant does"));
    }
}
