package perflab.queues.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.queues.Crew;

/**
 * What runs on Java 11 alone, by the program of {@code quasar/}: this one lists it, and cannot load it. {@code component.toml} names the
 * runtime.
 */
final class Java11Variants {

    private static final String FOLDER = "quasar/src/main/java/perflab/queues/quasar/";
    private static final String NEEDS =
            "Quasar 0.8.0 and its agent run on Java 11 alone; ./lab measure fetches and starts one";

    private Java11Variants() {}

    static List<Variant<Design>> all() {
        return List.of(
                java11(
                        "quasar",
                        "Quasar on Java 11: a fiber and a channel for each worker",
                        FOLDER + "QuasarFibers.java",
                        List.of()),
                java11(
                        "quasar-fair",
                        "Quasar on Java 11: a channel shared by the fibers",
                        FOLDER + "QuasarFibers.java",
                        List.of()),
                java11(
                        "rxjava-jre11",
                        "as rxjava, on Java 11: to compare with rxjava-agent",
                        FOLDER + "Java11Variant.java",
                        List.of("fast")),
                java11(
                        "rxjava-agent",
                        "as rxjava-jre11, with Quasar's agent in the JVM",
                        FOLDER + "Java11Variant.java",
                        List.of("fast")));
    }

    private static Variant<Design> java11(String name, String description, String source, List<String> scenarios) {
        return new Variant<>(
                name, Role.AFTER, description, source, Design.elsewhere(Crew.ALL_PROCESSORS, NEEDS), scenarios);
    }
}
