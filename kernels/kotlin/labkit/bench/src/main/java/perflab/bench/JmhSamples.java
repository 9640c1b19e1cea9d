package perflab.bench;

import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.IterationType;
import org.openjdk.jmh.runner.format.OutputFormat;

/** Turns JMH's iterations into samples of the protocol as they end; texts of JMH go to the log. */
final class JmhSamples {

    private final ProtocolWriter writer;
    private final RunCommand.Totals totals;

    private JmhSamples(ProtocolWriter writer, RunCommand.Totals totals) {
        this.writer = writer;
        this.totals = totals;
    }

    static OutputFormat format(ProtocolWriter writer, RunCommand.Totals totals) {
        JmhSamples samples = new JmhSamples(writer, totals);
        Class<?>[] type = {OutputFormat.class};
        return (OutputFormat) Proxy.newProxyInstance(type[0].getClassLoader(), type, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "iterationResult" ->
                    samples.add((BenchmarkParams) arguments[0], (IterationParams) arguments[1], (IterationResult)
                            arguments[3]);
                case "print" -> System.err.print(arguments[0]);
                case "println" -> System.err.println(arguments[0]);
                case "write" -> {
                    if (arguments[0] instanceof byte[] octets) {
                        System.err.writeBytes(octets);
                    } else {
                        System.err.write((int) arguments[0]);
                    }
                }
                default -> {}
            }
            return null;
        });
    }

    private void add(BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (iteration.getType() != IterationType.MEASUREMENT) {
            return;
        }
        double ops = result.getMetadata().getMeasuredOps();
        double ns =
                nanoseconds(benchmark.getMode(), ops, result.getPrimaryResult().getScore());
        totals.add(ops, ns);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "sample");
        line.put("i", totals.samples() - 1);
        line.put("ops", ProtocolWriter.shortest(ops));
        line.put("ns", ns);
        writer.line(line);
    }

    /**
     * The time that makes JMH's score and the protocol's metric the same figure: {@code rate} is JMH's throughput and
     * {@code time} its average time per operation of one thread.
     */
    private static double nanoseconds(Mode mode, double ops, double score) {
        return switch (mode) {
            case Throughput -> ops / score;
            case AverageTime -> ops * score;
            default -> throw new IllegalStateException("no protocol metric is known for JMH's mode " + mode);
        };
    }
}
