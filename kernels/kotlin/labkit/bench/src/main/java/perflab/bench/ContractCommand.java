package perflab.bench;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Checks variants against the component's contract: a {@code check} line each, then an {@code end} line. Exit status 4 if
 * a check failed.
 */
@Command(
        name = "contract",
        mixinStandardHelpOptions = true,
        description = "Check a plug-in's variants, or one variant, against the component's contract.")
final class ContractCommand<S> implements Callable<Integer> {

    private final Bench<S> bench;
    private final ProtocolWriter writer;

    @Option(names = "--plugin", paramLabel = "PATH", description = "A jar with variants of your own.")
    private Path plugin;

    @Option(names = "--variant", paramLabel = "NAME", description = "Only this one; default: all of the plug-in's.")
    private String variantName;

    @Option(
            names = "--limit-ms",
            paramLabel = "N",
            defaultValue = "20000",
            description = "How long one check may take. Default ${DEFAULT-VALUE}.")
    private long limitMs;

    ContractCommand(Bench<S> bench, ProtocolWriter writer) {
        this.bench = bench;
        this.writer = writer;
    }

    @Override
    public Integer call() {
        List<Variant<S>> variants = variants();
        int failed = 0;
        for (Variant<S> variant : variants) {
            for (Check<S> check : bench.contract()) {
                failed += passes(check, variant) ? 0 : 1;
            }
        }
        Map<String, Object> end = new LinkedHashMap<>();
        end.put("type", "end");
        end.put("checks", variants.size() * bench.contract().size());
        end.put("failed", failed);
        writer.line(end);
        return failed == 0 ? 0 : BenchException.Kind.VALIDATION.exitStatus;
    }

    private List<Variant<S>> variants() {
        if (variantName != null) {
            return List.of(bench.variant(variantName, plugin == null ? "" : plugin.toString()));
        }
        if (plugin == null) {
            throw new UsageException("there is nothing to check: name a --variant or a --plugin");
        }
        return bench.pluggedIn(plugin);
    }

    private boolean passes(Check<S> check, Variant<S> variant) {
        boolean passed = false;
        String message = "";
        try {
            check.run(variant.subject(), limitMs);
            passed = true;
        } catch (AssertionError failure) {
            message = String.valueOf(failure.getMessage());
        } catch (Throwable thrown) {
            message = thrown.toString();
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "check");
        line.put("variant", variant.name());
        line.put("name", check.name());
        line.put("passed", passed);
        line.put("message", message);
        writer.line(line);
        return passed;
    }
}
