package perflab.queues.bench;

import java.util.List;
import perflab.bench.Check;
import perflab.queues.contract.Promises;

/** The promises of a pipeline, for the {@code contract} command. */
final class PipelineContract {

    private PipelineContract() {}

    static List<Check<Design>> checks() {
        return Promises.all().stream()
                .map(promise -> new Check<Design>(promise.statement(), design -> promise.test(design.pipelines())))
                .toList();
    }
}
