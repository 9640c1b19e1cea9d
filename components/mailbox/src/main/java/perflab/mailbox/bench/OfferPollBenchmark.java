package perflab.mailbox.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import perflab.bench.ValidationException;
import perflab.mailbox.Mailbox;

/** The mailbox as it costs when nobody waits and nobody competes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
// Agrona's queues need it; the program's manifest says so too, but a fork is not started from the jar.
@Fork(jvmArgsAppend = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED")
public class OfferPollBenchmark {

    @Param("")
    public String variant;

    /** The path of the plug-in that has the variant; empty for none. */
    @Param("")
    public String plugin;

    private final Integer message = 1;
    private Mailbox<Integer> mailbox;

    @Setup
    public void createMailbox() {
        mailbox = MailboxBench.bench()
                .variant(variant, plugin)
                .subject()
                .mailboxes()
                .orElseThrow()
                .create();
    }

    @Benchmark
    public Integer offerThenPoll() throws InterruptedException {
        mailbox.offer(message);
        Integer received = mailbox.poll(0, TimeUnit.NANOSECONDS);
        if (received != message) {
            throw new ValidationException("each poll returns the message just offered: " + received + " came");
        }
        return received;
    }
}
