package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Scenario;

/** What can be measured, in the order in which tables show it. */
final class Scenarios {

    /** Needs a mailbox by itself. */
    static final String OFFER_POLL = "offer-poll";

    /** Has ten thousand actors alive at once. */
    static final String LIVE = "live";

    private Scenarios() {}

    static List<Scenario<Design>> all() {
        return List.of(
                new BurstScenario(),
                new ThroughputScenario(),
                new BackpressureScenario(),
                new AskScenario(),
                WakeupScenario.ofOneMessage(),
                WakeupScenario.ofFirstBurst(),
                new IdleScenario(),
                TaskScenario.single(),
                TaskScenario.batch(),
                TaskScenario.pooled(),
                new SpawnScenario(),
                new LiveScenario(),
                new OfferPollScenario());
    }

    /** The names of those that a variant supports which cannot do all. */
    static List<String> namesWithout(List<String> excluded) {
        return all().stream()
                .map(scenario -> scenario.spec().name())
                .filter(name -> !excluded.contains(name))
                .toList();
    }
}
