package perflab.bench;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.IterationType;
import org.openjdk.jmh.runner.format.OutputFormat;

/** Turns JMH's iterations into samples of the protocol as they end; everything else that JMH says goes to the log. */
final class JmhSamples implements OutputFormat {

    private final ProtocolWriter writer;
    private final Totals totals;

    JmhSamples(ProtocolWriter writer, Totals totals) {
        this.writer = writer;
        this.totals = totals;
    }

    @Override
    public void iterationResult(
            BenchmarkParams benchmark, IterationParams iteration, int number, IterationResult result) {
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
        line.put("ops", Numbers.shortest(ops));
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

    @Override
    public void println(String text) {
        System.err.println(text);
    }

    @Override
    public void print(String text) {
        System.err.print(text);
    }

    @Override
    public void verbosePrintln(String text) {
        // told only in JMH's extra verbose mode
    }

    @Override
    public void write(int octet) {
        System.err.write(octet);
    }

    @Override
    public void write(byte[] octets) {
        System.err.writeBytes(octets);
    }

    @Override
    public void flush() {
        System.err.flush();
    }

    @Override
    public void close() {
        flush();
    }

    @Override
    public void iteration(BenchmarkParams benchmark, IterationParams iteration, int number) {
        // the protocol has no line for a beginning
    }

    @Override
    public void startBenchmark(BenchmarkParams benchmark) {
        // likewise
    }

    @Override
    public void endBenchmark(BenchmarkResult result) {
        // likewise
    }

    @Override
    public void startRun() {
        // likewise
    }

    @Override
    public void endRun(Collection<RunResult> results) {
        // likewise
    }
}
