package perflab.queues.quasar;

import co.paralleluniverse.fibers.instrument.JavaAgent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.pipelines.RxJavaParallel;

/** What this program plays; the bench program lists the same, and says where to find them. */
enum Java11Variant {
    QUASAR(true, QuasarFibers::dealing),
    QUASAR_FAIR(true, QuasarFibers::sharing),
    RXJAVA_JRE11(false, RxJavaParallel::new),
    RXJAVA_AGENT(true, RxJavaParallel::new);

    private final boolean needsAgent;
    private final Supplier<Pipeline> pipelines;

    Java11Variant(boolean needsAgent, Supplier<Pipeline> pipelines) {
        this.needsAgent = needsAgent;
        this.pipelines = pipelines;
    }

    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Java11Variant named(String key) {
        return Arrays.stream(values())
                .filter(variant -> variant.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new Failure(Failure.USAGE, "unknown variant '" + key + "'", keys()));
    }

    private static List<String> keys() {
        return Arrays.stream(values()).map(Java11Variant::key).collect(Collectors.toList());
    }

    Crew crew() {
        return Crew.ALL_PROCESSORS;
    }

    /** A pipeline of this variant; refuses a JVM on which it would be another one. */
    Pipeline open() {
        if (JavaAgent.isActive() != needsAgent) {
            throw new Failure(
                    Failure.MISSING,
                    "'" + key() + "' runs on Java 11 " + (needsAgent ? "with" : "without")
                            + " -javaagent:quasar/target/lib/quasar-core.jar; ./lab measure starts it so",
                    List.of());
        }
        return pipelines.get();
    }
}
