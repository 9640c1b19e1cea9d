package perflab.queues.quasar;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import perflab.queues.contract.Promise;
import perflab.queues.contract.Promises;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Puts a variant to the test: a {@code check} line for each promise of a pipeline, then an {@code end} line. */
@Command(name = "contract", mixinStandardHelpOptions = true, description = "Check one variant against the contract.")
final class ContractCommand implements Callable<Integer> {

    private static final int BROKEN = 4;

    private final Lines lines;

    @Option(names = "--variant", required = true, paramLabel = "NAME", description = "Which implementation.")
    private String variantName;

    @Option(
            names = "--limit-ms",
            paramLabel = "N",
            defaultValue = "20000",
            description = "How long one check may take. Default ${DEFAULT-VALUE}.")
    private long limitMs;

    ContractCommand(Lines lines) {
        this.lines = lines;
    }

    @Override
    public Integer call() throws InterruptedException {
        Java11Variant variant = Java11Variant.named(variantName);
        variant.open().close(); // refuses here, not once for each promise
        List<Promise> promises = Promises.all();
        int failed = 0;
        for (Promise promise : promises) {
            String evidence = against(promise, variant);
            failed += evidence.isEmpty() ? 0 : 1;
            lines.write(check(promise, evidence));
        }
        Map<String, Object> end = new LinkedHashMap<>();
        end.put("type", "end");
        end.put("checks", promises.size());
        end.put("failed", failed);
        lines.write(end);
        return failed == 0 ? 0 : BROKEN;
    }

    /** What speaks against it; empty if nothing does. */
    private String against(Promise promise, Java11Variant variant) throws InterruptedException {
        FutureTask<Void> test = new FutureTask<>(() -> {
            promise.test(variant::open);
            return null;
        });
        Thread thread = new Thread(test, "check: " + promise.statement());
        thread.setDaemon(true);
        thread.start();
        try {
            test.get(limitMs, TimeUnit.MILLISECONDS);
            return "";
        } catch (ExecutionException e) {
            return e.getCause().toString();
        } catch (TimeoutException e) {
            thread.interrupt();
            return "did not end within " + limitMs + " ms";
        }
    }

    private Map<String, Object> check(Promise promise, String evidence) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "check");
        line.put("variant", variantName);
        line.put("name", promise.statement());
        line.put("passed", evidence.isEmpty());
        line.put("message", evidence);
        return line;
    }
}
