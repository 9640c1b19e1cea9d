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

/**
 * One actor, and a stretch of the schedule per repetition. It ends with the schedule, or when the last message is handled if
 * that is later: an actor that cannot keep up is given its time, and its latencies grow with its backlog.
 */
final class Throughput implements Experiment {

    /** The start lies so far ahead that all senders are there and spin. */
    private static final long LEAD_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Schedule schedule;
    private final int messagesEach;
    private final TracedActor actor;
    private final List<PacedSender> senders;
    /** A task goes to an idle thread or a new one, never behind another. */
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("producer").factory());

    Throughput(Design design, Setting setting, Schedule schedule, int messagesEach) {
        this.schedule = schedule;
        this.messagesEach = messagesEach;
        Parameters parameters = setting.parameters();
        actor = new TracedActor(
                design.start(Conditions.of(parameters)),
                setting.checks(),
                schedule.producers(),
                messagesEach,
                parameters.getLong("work"));
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

    private static void awaitTime(long timeNs) {
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
