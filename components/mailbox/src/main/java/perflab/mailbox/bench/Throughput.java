package perflab.mailbox.bench;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.bench.UsageException;

/**
 * Latency at a given rate: messages are due on a schedule, and their latency counts from when they were due. A
 * repetition is a stretch of the schedule. It ends with the schedule, or when the last message is handled if that is
 * later: an actor that cannot keep up is given its time, and its latencies grow with its backlog.
 *
 * <p>A sender that waits for the system under test, or skips what it was late for, leaves out of the record just those
 * messages that had to wait: Gil Tene's <i>coordinated omission</i> ("How NOT to Measure Latency"). Counting from the
 * intended time is his remedy, as in wrk2 (github.com/giltene/wrk2); correcting afterwards, as HdrHistogram's
 * {@code recordValueWithExpectedInterval} does, is the makeshift where the schedule is not known.
 *
 * <p>The percentiles are of the messages that were handled; {@code refused} tells how many were not, and a mailbox that
 * refuses bounds its latencies by that. {@code late} tells how many were offered behind schedule: because an offer
 * before them took long, or because the sender's thread was held up. Where most are late, the sender was the limit, not
 * the actor.
 */
final class Throughput implements Experiment {

    /** About 200 MB of messages and stamps: more would crowd the heap. */
    private static final long MOST_MESSAGES = 4_000_000;

    /** The start lies so far ahead that all senders are there and spin. */
    private static final long LEAD_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Schedule schedule;
    private final int messagesEach;
    private final TracedActor actor;
    private final List<PacedSender> senders;

    /** A task goes to an idle thread or a new one, never behind another. */
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("producer").factory());

    Throughput(Design design, Setting setting) {
        Parameters parameters = setting.parameters();
        schedule = new Schedule(parameters.getLong("rate"), parameters.getInt("producers"));
        long windowMs = parameters.getLong("window-ms");
        long each = schedule.messagesEach(windowMs);
        if (each * schedule.producers() > MOST_MESSAGES) {
            throw new UsageException(
                    "parameter 'window-ms' cannot be " + windowMs + " when 'rate' is " + schedule.perSecond(),
                    List.of("a whole number from 10 to " + MOST_MESSAGES * 1_000 / schedule.perSecond()));
        }
        messagesEach = Math.toIntExact(each);
        actor = new TracedActor(design, setting, schedule.producers(), messagesEach);
        long lateNs = TimeUnit.MICROSECONDS.toNanos(parameters.getLong("late-us"));
        senders = IntStream.range(0, schedule.producers())
                .mapToObj(producer -> new PacedSender(
                        actor.ref(),
                        schedule,
                        Message.of(producer, messagesEach),
                        actor.journal(producer),
                        lateNs,
                        System::nanoTime))
                .toList();
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException, ExecutionException {
        actor.reset();
        long startNs = System.nanoTime() + LEAD_NS;
        long refused = 0;
        long late = 0;
        for (Future<PacedSender.Outcome> outcome : threads.invokeAll(startingAt(startNs))) {
            refused += outcome.get().refused();
            late += outcome.get().late();
        }
        actor.settle(refused);
        long scheduledEndNs = startNs + schedule.lengthNs(messagesEach);
        awaitTime(scheduledEndNs);
        long sent = (long) messagesEach * schedule.producers();
        sample.add(sent, Math.max(actor.lastHandledNs(), scheduledEndNs) - startNs);
        sample.count("handled", sent - refused);
        sample.count("refused", refused);
        sample.count("late", late);
        for (int producer = 0; producer < schedule.producers(); producer++) {
            recordLatencies(producer, startNs, sample);
        }
    }

    private List<Callable<PacedSender.Outcome>> startingAt(long startNs) {
        return senders.stream()
                .<Callable<PacedSender.Outcome>>map(sender -> () -> sender.send(startNs))
                .toList();
    }

    static void awaitTime(long timeNs) {
        for (long leftNs = timeNs - System.nanoTime(); leftNs > 0; leftNs = timeNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
    }

    /** From when a message was due, not from when it was sent: what a late sender held up has waited too. */
    private void recordLatencies(int producer, long startNs, Sample sample) {
        Journal journal = actor.journal(producer);
        for (int sequence = 0; sequence < messagesEach; sequence++) {
            if (journal.isHandled(sequence)) {
                sample.latency(journal.handledNs(sequence) - startNs - schedule.dueNs(producer, sequence));
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        actor.close();
    }
}
