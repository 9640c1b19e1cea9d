package perflab.queues.bench;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.queues.Crew;
import perflab.queues.Pipeline;

/** The implementations that are measured, in the order in which tables show them. */
final class Variants {

    private Variants() {}

    static List<Variant<Design>> all() {
        return Stream.of(ReportVariants.all(), Java11Variants.all(), PeerVariants.all(), LabVariants.all())
                .flatMap(List::stream)
                .toList();
    }

    static Variant<Design> of(
            String name, Role role, String description, Class<?> source, Crew crew, Supplier<Pipeline> pipelines) {
        return new Variant<>(name, role, description, Variant.sourceOf(source), new Design(crew, pipelines));
    }
}
