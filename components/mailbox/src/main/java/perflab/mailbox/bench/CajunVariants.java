package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.peer.cajun.Cajun;

/** The report's own library, as it can be downloaded today, on a JVM of its own: see {@code component.toml}. */
final class CajunVariants {

    private static final List<String> SCENARIOS = Scenarios.namesWithout(List.of(Scenarios.OFFER_POLL));

    /** A platform thread for each actor, which polls a thousand times a second: ten thousand of them never come up. */
    private static final List<String> FOR_THREADS =
            Scenarios.namesWithout(List.of(Scenarios.OFFER_POLL, Scenarios.LIVE));

    private CajunVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                cajun(
                        "cajun",
                        "Cajun 0.7.0 as published, its defaults: a full mailbox drops messages silently; logging off",
                        Cajun.DEFAULT,
                        SCENARIOS),
                cajun(
                        "cajun-mpsc",
                        "Cajun 0.7.0 as published, its CPU_BOUND preset: a platform thread, and wake-ups are lost",
                        Cajun.CPU_BOUND,
                        FOR_THREADS),
                cajun(
                        "cajun-logging",
                        "as cajun, with the log that it brings: two lines and a lasting logger for each actor",
                        Cajun.LOGGING,
                        SCENARIOS));
    }

    private static Variant<Design> cajun(String name, String description, Cajun cajun, List<String> scenarios) {
        return new Variant<>(
                name, Role.PEER, description, Variants.source(Cajun.class), new CajunDesign(name, cajun), scenarios);
    }
}
