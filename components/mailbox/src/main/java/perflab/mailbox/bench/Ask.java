package perflab.mailbox.bench;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/** One actor that answers, and threads that ask it; each repetition asks all questions once. */
final class Ask implements Experiment {

    private final Checks checks;
    private final int total;
    private final Answering answering;
    private final ActorSystem system;
    private final Asker<Question, Question> actor;
    private final List<AskingThread> askers;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("asker").factory());
    private long asked;

    Ask(Design design, Setting setting) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        int count = parameters.getInt("askers");
        int each = parameters.getInt("questions") / count;
        int outstanding = parameters.getInt("outstanding");
        total = count * each;
        answering = new Answering(count, each, parameters.getLong("work"));
        system = design.start(Conditions.of(parameters));
        actor = system.spawnAnswering(answering);
        askers = IntStream.range(0, count)
                .mapToObj(asker -> new AskingThread(actor, Question.of(asker, each), outstanding))
                .toList();
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        long bytesBefore = Allocation.bytes();
        List<Future<AskingThread>> rounds = threads.invokeAll(askers);
        long bytes = Allocation.bytes() - bytesBefore;
        rounds.forEach(this::requireAnswers);
        asked += total;
        requireAskedOnce();
        checks.require(
                "each asker's questions come in order", answering.disorder().isEmpty(), answering::disorder);

        sample.add(total, endedNs() - begunNs());
        sample.count("allocated_bytes", bytes);
        for (AskingThread asker : askers) {
            sample.count("refused", asker.refused());
            for (long ns : asker.roundTripNs()) {
                sample.latency(ns);
            }
        }
    }

    private void requireAnswers(Future<AskingThread> round) {
        boolean answered = round.state() == Future.State.SUCCESS;
        checks.require(
                "every question is answered",
                answered,
                () -> round.exceptionNow().toString());
        String mismatch = round.resultNow().mismatch();
        checks.require("each answer belongs to its question", mismatch.isEmpty(), () -> mismatch);
    }

    private void requireAskedOnce() {
        checks.require(
                "every question reaches the actor once",
                answering.answered() == asked,
                () -> answering.answered() + " questions came, " + asked + " were asked");
    }

    private long begunNs() {
        return askers.stream().mapToLong(AskingThread::begunNs).min().orElseThrow();
    }

    private long endedNs() {
        return askers.stream().mapToLong(AskingThread::endedNs).max().orElseThrow();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        actor.close();
        system.close();
        requireAskedOnce();
    }
}
