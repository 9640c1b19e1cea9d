package perflab.mailbox.bench;

import java.util.List;
import java.util.stream.Stream;
import perflab.bench.Variant;

/** The implementations that are measured, in the order in which tables show them. */
final class Variants {

    private Variants() {}

    static List<Variant<Design>> all() {
        return Stream.of(
                        UpstreamVariants.all(),
                        BaselineVariants.all(),
                        PeerVariants.all(),
                        CajunVariants.all(),
                        TechniqueVariants.all(),
                        LabVariants.all())
                .flatMap(List::stream)
                .toList();
    }

    /** Where a class's source is, from the component's folder. */
    static String source(Class<?> type) {
        return "src/main/java/" + type.getName().replace('.', '/') + ".java";
    }
}
