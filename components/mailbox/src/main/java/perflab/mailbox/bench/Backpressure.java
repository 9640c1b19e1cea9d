package perflab.mailbox.bench;

import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;

/** One slow actor and a burst to it per repetition, sent by the measuring thread and timed until the last message is handled. */
final class Backpressure implements Experiment {

    private final Checks checks;
    private final int messages;
    private final WhenFull whenFull;
    private final TracedActor actor;
    private final PressingSender sender;

    Backpressure(Design design, Setting setting) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        messages = parameters.getInt("messages");
        whenFull = WhenFull.named(parameters.getString("when-full"));
        actor = new TracedActor(
                design.start(Conditions.of(parameters)), checks, 1, messages, parameters.getLong("work"));
        sender = new PressingSender(actor.ref(), Message.of(0, messages), actor.journal(0), whenFull);
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        actor.reset();
        long startNs = System.nanoTime();
        PressingSender.Outcome outcome = sender.send();
        checks.require(
                "a message is given up only where that was asked for",
                outcome.dropped() == 0 || whenFull == WhenFull.DROP,
                () -> outcome.dropped() + " found no room");
        actor.settle(outcome.dropped());

        sample.add(messages, actor.lastHandledNs() - startNs);
        sample.count("refused", outcome.refusals());
        sample.count("dropped", outcome.dropped());
        sample.count("handled", messages - outcome.dropped());
        sample.count("sending_ns", outcome.sendingNs());
        sample.count("blocked_ns", outcome.blockedNs());
        Journal journal = actor.journal(0);
        sample.count("largest_backlog", journal.largestBacklog());
        for (int sequence = 0; sequence < messages; sequence++) {
            if (journal.isHandled(sequence)) {
                sample.latency(journal.handledNs(sequence) - journal.acceptedNs(sequence));
            }
        }
    }

    @Override
    public void close() {
        actor.close();
    }
}
