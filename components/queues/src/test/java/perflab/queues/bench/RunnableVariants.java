package perflab.queues.bench;

import java.util.stream.Stream;
import perflab.bench.Variant;

/** The variants that this JVM can run: all but those with a runtime of their own, which tests/runner/test_quasar.py covers. */
final class RunnableVariants {

    private RunnableVariants() {}

    static Stream<Variant<Design>> all() {
        return Variants.all().stream().filter(variant -> variant.subject().runsHere());
    }
}
