package perflab.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs a {@link JmhScenario}: the bench program stays idle and starts exactly one JMH fork, which therefore gets the
 * compiler hints that a run with {@code forks(0)} lacks. The fork inherits this JVM's flags and environment, so a
 * profiler in {@code JAVA_TOOL_OPTIONS} sees both processes: its output file needs the process id in its name.
 */
final class JmhRunner {

    static {
        // JMH refuses to run beside another JMH on the machine; whether two measurements may overlap is perflab's call.
        System.setProperty("jmh.ignoreLock", "true");
    }

    private JmhRunner() {}

    static void run(
            JmhScenario<?> scenario,
            Map<String, String> jmhParams,
            long warmupMs,
            long sampleMs,
            int samples,
            ProtocolWriter writer,
            RunCommand.Totals totals) {
        ChainedOptionsBuilder builder = new OptionsBuilder()
                .include("^" + Pattern.quote(scenario.benchmark().getName()) + "\\.")
                .forks(1)
                .warmupIterations(warmupMs > 0 ? 1 : 0)
                .warmupTime(TimeValue.milliseconds(Math.max(1, warmupMs)))
                .measurementIterations(samples)
                .measurementTime(TimeValue.milliseconds(sampleMs))
                .timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true)
                .shouldDoGC(false)
                .addProfiler(TimedIterations.class)
                .verbosity(VerboseMode.NORMAL)
                .jvmArgs(forkFlags(ManagementFactory.getRuntimeMXBean().getInputArguments(), System.getenv())
                        .toArray(String[]::new));
        jmhParams.forEach(builder::param);
        try {
            new Runner(builder.build(), JmhSamples.format(writer, totals)).run();
        } catch (RunnerException e) {
            throw validation(e).orElseGet(() -> new IllegalStateException("JMH: " + innermostMessage(e), e));
        }
    }

    /**
     * The JVM flags that a fork has to be given so that it runs with those of this process: these less those that the
     * environment holds, which a fork inherits. Given once more it would load an agent twice, which profilers refuse.
     */
    static List<String> forkFlags(List<String> flags, Map<String, String> environment) {
        List<String> left = new ArrayList<>(flags);
        for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
            for (String flag : environment.getOrDefault(variable, "").split("\\s+")) {
                left.remove(flag);
            }
        }
        return left;
    }

    /** The fork's own verdict: JMH hands the exceptions of its worker threads over as suppressed ones. */
    private static Optional<RuntimeException> validation(Throwable thrown) {
        if (thrown == null) {
            return Optional.empty();
        }
        if (thrown instanceof ValidationException found) {
            return Optional.of(found);
        }
        for (Throwable suppressed : thrown.getSuppressed()) {
            Optional<RuntimeException> found = validation(suppressed);
            if (found.isPresent()) {
                return found;
            }
        }
        return validation(thrown.getCause());
    }

    private static String innermostMessage(Throwable thrown) {
        Throwable innermost = thrown;
        while (innermost.getCause() != null || innermost.getSuppressed().length > 0) {
            innermost = innermost.getCause() != null
                    ? innermost.getCause()
                    : innermost.getSuppressed()[0];
        }
        return innermost.toString();
    }
}
