package perflab.bench;

import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/** The {@link TimedRegion} of a fork of JMH: its measured iterations. JMH makes one in the fork, and needs it public. */
public final class TimedIterations implements InternalProfiler {

    @Override
    public String getDescription() {
        return "tells when measured iterations begin and end";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            TimedRegion.begin();
        }
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (iteration.getType() == IterationType.MEASUREMENT) {
            TimedRegion.end();
        }
        return List.of();
    }
}
