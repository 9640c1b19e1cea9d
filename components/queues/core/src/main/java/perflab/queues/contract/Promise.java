package perflab.queues.contract;

import java.util.function.Supplier;
import perflab.queues.Pipeline;

/** One of the promises of {@link Pipeline}, which can be put to the test. */
public final class Promise {

    /** The code of a test: passes by returning. */
    @FunctionalInterface
    interface Test {
        void put(Supplier<Pipeline> pipelines) throws Exception;
    }

    private final String statement;
    private final Test test;

    Promise(String statement, Test test) {
        this.statement = statement;
        this.test = test;
    }

    /** What is promised. */
    public String statement() {
        return statement;
    }

    /**
     * Puts it to the test.
     *
     * @param pipelines makes pipelines of the kind in question
     * @throws AssertionError if the promise is broken
     * @throws Exception what else a pipeline threw
     */
    public void test(Supplier<Pipeline> pipelines) throws Exception {
        test.put(pipelines);
    }

    static void require(boolean holds, String evidence) {
        if (!holds) {
            throw new AssertionError(evidence);
        }
    }
}
