package perflab.queues.bench;

import java.util.function.Supplier;
import perflab.bench.MissingException;
import perflab.queues.Crew;
import perflab.queues.Pipeline;

/**
 * What a variant hands to the scenarios.
 *
 * @param crew how many workers it has unless the run says so
 * @param runsHere whether this JVM can run it at all
 */
record Design(Crew crew, boolean runsHere, Supplier<Pipeline> pipelines) {

    Design(Crew crew, Supplier<Pipeline> pipelines) {
        this(crew, true, pipelines);
    }

    /** Of a variant that another program plays, on a runtime of its own: see {@code component.toml}. */
    static Design elsewhere(Crew crew, String needs) {
        return new Design(crew, false, () -> {
            throw new MissingException(needs);
        });
    }
}
