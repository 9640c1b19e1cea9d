package perflab.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Sums hashed numbers, a loop that no compiler replaces by a formula. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SummingBenchmark {

    /** Fails its validation if it is told to. */
    static final JmhScenario<Integer> SCENARIO = new JmhScenario<>(
            ScenarioSpec.of("summing", "Summing", "a sum")
                    .headline("time", "ns/sum", Better.LOWER)
                    .parameter(Parameter.ofInt("length", 1_000, 1, 10_000, "how many numbers are summed"))
                    .parameter(Parameter.ofBool("wrong", false, "whether the sum is wrong"))
                    .build(),
            SummingBenchmark.class,
            "sums are right");

    @Param("1000")
    public int length;

    @Param("false")
    public boolean wrong;

    @Param("")
    public String variant;

    @Benchmark
    public long sum() {
        if (wrong) {
            throw new ValidationException("sums are right: they are not");
        }
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += (i * 0x9E3779B97F4A7C15L) >>> 7;
        }
        return sum;
    }
}
