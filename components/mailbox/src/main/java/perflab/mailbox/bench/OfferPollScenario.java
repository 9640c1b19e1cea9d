package perflab.mailbox.bench;

import perflab.bench.Better;
import perflab.bench.JmhScenario;
import perflab.bench.ScenarioSpec;

/** Cost without contention: one thread offers a message and polls it. */
final class OfferPollScenario implements JmhScenario<Design> {

    private static final ScenarioSpec SPEC = ScenarioSpec.named(Scenarios.OFFER_POLL)
            .title("Offer and poll, uncontended")
            .operation("an offer and a poll by one thread")
            .headline("time", "ns/pair", Better.LOWER)
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Class<?> benchmark() {
        return OfferPollBenchmark.class;
    }

    @Override
    public String check() {
        return "each poll returns the message just offered";
    }
}
