package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Better;
import perflab.bench.Experiment;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.Parameters;
import perflab.bench.ScenarioSpec;
import perflab.bench.Setting;
import perflab.bench.UsageException;

/**
 * Latency at a given rate: messages are due on a schedule, and their latency counts from when they were due.
 *
 * <p>A sender that waits for the system under test, or skips what it was late for, leaves out of the record just those
 * messages that had to wait: Gil Tene's <i>coordinated omission</i> ("How NOT to Measure Latency"). Counting from the
 * intended time is his remedy, as in wrk2 (github.com/giltene/wrk2); correcting afterwards, as HdrHistogram's
 * {@code recordValueWithExpectedInterval} does, is the makeshift where the schedule is not known.
 *
 * <p>The percentiles are of the messages that were handled; {@code refused} tells how many were not, and a mailbox that refuses
 * bounds its latencies by that. {@code late} tells how many were offered behind schedule: because an offer before
 * them took long, or because the sender's thread was held up. Where most are late, the sender was the limit, not the actor.
 */
final class ThroughputScenario implements OwnClockScenario<Design> {

    /** About 200 MB of messages and stamps: more would crowd the heap. */
    private static final long MOST_MESSAGES = 4_000_000;

    private static final ScenarioSpec SPEC = Knobs.addTo(ScenarioSpec.named("throughput")
                    .title("Messages at a given rate")
                    .operation("a message, from when it was due to handled")
                    .headline("p99", "ns", Better.LOWER)
                    .metric("p50", "p50", "ns", Better.LOWER)
                    .metric("p99.9", "p99.9", "ns", Better.LOWER)
                    .metric("max", "max", "ns", Better.LOWER)
                    .metric("achieved", "counter:handled/s", "messages/s", Better.HIGHER)
                    .metric("refused", "counter:refused/op", "refusals/message", Better.LOWER)
                    .metric("late", "counter:late/op", "late sends/message", Better.LOWER)
                    .parameter(Parameter.ofInt(
                            "rate", 100_000, 1_000, 10_000_000, "messages due per second, of all producers"))
                    .parameter(Parameter.ofInt("producers", 1, 1, 64, "threads that send, in turn; each spins"))
                    .parameter(Parameter.ofInt("window-ms", 100, 10, 10_000, "how long a repetition sends, in ms"))
                    .parameter(Parameter.ofInt(
                            "late-us", 50, 0, 1_000_000, "a send further behind schedule than this is late, in us"))
                    .parameter(
                            Parameter.ofInt("work", 0, 0, 100_000, "work per message, in tokens of JMH's Blackhole")))
            .build();

    @Override
    public ScenarioSpec spec() {
        return SPEC;
    }

    @Override
    public Experiment open(Design design, Setting setting) {
        Parameters parameters = setting.parameters();
        Schedule schedule = new Schedule(parameters.getLong("rate"), parameters.getInt("producers"));
        long each = schedule.messagesEach(parameters.getLong("window-ms"));
        if (each * schedule.producers() > MOST_MESSAGES) {
            long longestMs = MOST_MESSAGES * 1_000 / schedule.perSecond();
            throw new UsageException(
                    "parameter 'window-ms' cannot be " + parameters.getLong("window-ms") + " when 'rate' is "
                            + schedule.perSecond(),
                    List.of("a whole number from 10 to " + longestMs));
        }
        return new Throughput(design, setting, schedule, Math.toIntExact(each));
    }
}
