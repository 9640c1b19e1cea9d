package perflab.bench;

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
            RunOptions options,
            ProtocolWriter writer,
            Totals totals) {
        ChainedOptionsBuilder builder = new OptionsBuilder()
                .include("^" + Pattern.quote(scenario.benchmark().getName()) + "\\.")
                .forks(1)
                .warmupIterations(options.warmupMs() > 0 ? 1 : 0)
                .warmupTime(TimeValue.milliseconds(Math.max(1, options.warmupMs())))
                .measurementIterations(options.samples())
                .measurementTime(TimeValue.milliseconds(options.sampleMs()))
                .timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true)
                .shouldDoGC(false)
                .addProfiler(TimedIterations.class)
                .verbosity(VerboseMode.NORMAL)
                .jvmArgs(ForkFlags.ofThisProcess().toArray(String[]::new));
        jmhParams.forEach(builder::param);
        try {
            new Runner(builder.build(), JmhSamples.format(writer, totals)).run();
        } catch (RunnerException e) {
            throw validation(e).orElseGet(() -> new IllegalStateException("JMH: " + innermostMessage(e), e));
        }
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
