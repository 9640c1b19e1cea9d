package perflab.queues.bench;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import perflab.bench.Check;

/** Every pipeline keeps every promise. */
class PipelineContractTest {

    private static final long LIMIT_MS = 20_000;

    static Stream<Arguments> checks() {
        return RunnableVariants.all()
                .flatMap(variant -> PipelineContract.checks().stream()
                        .map(check -> Arguments.of(variant.name(), check.name(), variant.subject(), check)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("checks")
    void holds(String variant, String statement, Design design, Check<Design> check) throws Throwable {
        check.run(design, LIMIT_MS);
    }
}
