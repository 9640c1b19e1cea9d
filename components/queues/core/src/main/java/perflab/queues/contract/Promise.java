package perflab.queues.contract;

import java.util.function.Supplier;
import perflab.queues.Pipeline;

public final class Promise {

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

    public String statement() {
        return statement;
    }

    public void test(Supplier<Pipeline> pipelines) throws Exception {
        test.put(pipelines);
    }

    static void require(boolean holds, String evidence) {
        if (!holds) {
            throw new AssertionError(evidence);
        }
    }
}
