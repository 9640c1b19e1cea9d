package perflab.mailbox.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.ProcessUsage;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;
import perflab.mailbox.actor.RefusedException;

/**
 * Request and reply: how long threads that ask an actor wait for the answer, and what an ask leaves to the garbage
 * collector. Each repetition asks all questions once.
 *
 * <p>It is a closed loop: an asker that waits asks nothing meanwhile, so a stall counts once, however many questions it
 * held up. {@link Throughput} is the open loop.
 */
final class Ask implements Experiment {

    private static final long LIMIT_S = 30;

    private final Checks checks;
    private final int total;
    private final Handling handling;
    private final ActorSystem system;
    private final Asker<Message, Message> actor;
    private final List<Asking> askers;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("asker").factory());
    private long asked;

    /** Written by the actor alone. Who holds the answer to the last question sees it, through its future. */
    private long answered;

    Ask(Design design, Setting setting) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        int count = parameters.getInt("askers");
        int each = parameters.getInt("questions") / count;
        int outstanding = parameters.getInt("outstanding");
        total = count * each;
        handling = new Handling("asker %d's question %d", count, parameters.getLong("work"));
        system = design.start(Conditions.of(parameters));
        actor = system.spawnAnswering(this::answer);
        askers = IntStream.range(0, count)
                .mapToObj(asker -> new Asking(actor, Message.of(asker, each), outstanding))
                .toList();
    }

    /** The question itself: an answer is known by its identity, and adds no object of ours to what an ask allocates. */
    private Message answer(Message question) {
        handling.follow(question);
        answered++;
        return question;
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        handling.restart();
        long bytesBefore = ProcessUsage.allocatedBytes();
        List<Future<Void>> rounds = threads.invokeAll(askers);
        long bytes = ProcessUsage.allocatedBytes() - bytesBefore;
        for (Future<Void> round : rounds) {
            checks.require(
                    "every question is answered",
                    round.state() == Future.State.SUCCESS,
                    () -> round.exceptionNow().toString());
        }
        askers.forEach(asker ->
                checks.require("each answer belongs to its question", asker.mismatch.isEmpty(), () -> asker.mismatch));
        asked += total;
        requireAskedOnce();
        handling.requireOrder(checks, "each asker's questions come in order");
        long begunNs = askers.stream().mapToLong(asker -> asker.begunNs).min().orElseThrow();
        long endedNs = askers.stream().mapToLong(asker -> asker.endedNs).max().orElseThrow();
        sample.add(total, endedNs - begunNs);
        sample.count("allocated_bytes", bytes);
        for (Asking asker : askers) {
            sample.count("refused", asker.refused);
            for (long ns : asker.roundTripNs) {
                sample.latency(ns);
            }
        }
    }

    private void requireAskedOnce() {
        checks.require(
                "every question reaches the actor once",
                answered == asked,
                () -> answered + " questions came, " + asked + " were asked");
    }

    @Override
    public void close() {
        threads.shutdownNow();
        actor.close();
        system.close();
        requireAskedOnce();
    }

    /**
     * One thread that asks, with a number of questions in flight: it waits for the oldest answer before it asks the
     * next one.
     *
     * <p>A round trip ends when this thread has the answer in hand, so the thread's own wake-up is in it. With several
     * in flight it also holds the answer's wait for the thread's attention, as it would for a user. Two readings of the
     * clock per question, some 20 ns each, are in the rate, and one of them is in each round trip.
     */
    private static final class Asking implements Callable<Void> {

        private final Asker<Message, Message> actor;
        private final Message[] questions;
        private final int outstanding;
        private final Deque<Future<Message>> inFlight;
        private final long[] askedNs;
        private final long[] roundTripNs;
        private int received;
        private long begunNs;
        private long endedNs;
        private long refused;
        private String mismatch = "";

        Asking(Asker<Message, Message> actor, Message[] questions, int outstanding) {
            this.actor = actor;
            this.questions = questions;
            this.outstanding = outstanding;
            inFlight = new ArrayDeque<>(outstanding);
            askedNs = new long[questions.length];
            roundTripNs = new long[questions.length];
        }

        @Override
        public Void call() throws InterruptedException, ExecutionException, TimeoutException {
            received = 0;
            refused = 0;
            begunNs = System.nanoTime();
            for (Message question : questions) {
                if (inFlight.size() == outstanding) {
                    receive();
                }
                askedNs[question.sequence()] = System.nanoTime();
                inFlight.add(ask(question));
            }
            while (!inFlight.isEmpty()) {
                receive();
            }
            endedNs = System.nanoTime();
            return null;
        }

        /** A refused question is asked again at once, before any later one, so that the order stays. */
        private Future<Message> ask(Message question) throws InterruptedException {
            CompletableFuture<Message> answer = actor.ask(question);
            while (answer.isCompletedExceptionally() && answer.exceptionNow() instanceof RefusedException) {
                refused++;
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Thread.yield();
                answer = actor.ask(question);
            }
            return answer;
        }

        private void receive() throws InterruptedException, ExecutionException, TimeoutException {
            Message answer = inFlight.remove().get(LIMIT_S, TimeUnit.SECONDS);
            roundTripNs[received] = System.nanoTime() - askedNs[received];
            if (answer != questions[received] && mismatch.isEmpty()) {
                mismatch = questions[received] + " was answered with " + answer;
            }
            received++;
        }
    }
}
