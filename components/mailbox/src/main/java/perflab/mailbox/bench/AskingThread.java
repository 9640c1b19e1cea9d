package perflab.mailbox.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import perflab.mailbox.actor.Asker;
import perflab.mailbox.actor.RefusedException;

/**
 * One thread that asks, with a number of questions in flight: it waits for the oldest answer before it asks the next one.
 *
 * <p>A round trip ends when this thread has the answer in hand, so the thread's own wake-up is in it. With several in flight
 * it also holds the answer's wait for the thread's attention, as it would for a user. Two readings of the clock per
 * question, some 20 ns each, are in the rate, and one of them is in each round trip.
 */
final class AskingThread implements Callable<AskingThread> {

    private static final long LIMIT_S = 30;

    private final Asker<Question, Question> actor;
    private final Question[] questions;
    private final int outstanding;
    private final Deque<Future<Question>> inFlight;
    private final long[] askedNs;
    private final long[] roundTripNs;
    private int received;
    private long begunNs;
    private long endedNs;
    private long refused;
    private String mismatch = "";

    AskingThread(Asker<Question, Question> actor, Question[] questions, int outstanding) {
        this.actor = actor;
        this.questions = questions;
        this.outstanding = outstanding;
        inFlight = new ArrayDeque<>(outstanding);
        askedNs = new long[questions.length];
        roundTripNs = new long[questions.length];
    }

    /**
     * Asks all questions in order and waits for all answers.
     *
     * @throws TimeoutException if an answer does not come
     * @throws ExecutionException if a question failed
     */
    @Override
    public AskingThread call() throws InterruptedException, ExecutionException, TimeoutException {
        received = 0;
        refused = 0;
        begunNs = System.nanoTime();
        for (Question question : questions) {
            if (inFlight.size() == outstanding) {
                receive();
            }
            askedNs[question.number()] = System.nanoTime();
            inFlight.add(ask(question));
        }
        while (!inFlight.isEmpty()) {
            receive();
        }
        endedNs = System.nanoTime();
        return this;
    }

    /** A refused question is asked again at once, before any later one, so that the order stays. */
    private Future<Question> ask(Question question) throws InterruptedException {
        CompletableFuture<Question> answer = actor.ask(question);
        while (wasRefused(answer)) {
            refused++;
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Thread.yield();
            answer = actor.ask(question);
        }
        return answer;
    }

    private static boolean wasRefused(CompletableFuture<?> answer) {
        return answer.isCompletedExceptionally() && answer.exceptionNow() instanceof RefusedException;
    }

    private void receive() throws InterruptedException, ExecutionException, TimeoutException {
        Question answer = inFlight.remove().get(LIMIT_S, TimeUnit.SECONDS);
        roundTripNs[received] = System.nanoTime() - askedNs[received];
        if (answer != questions[received] && mismatch.isEmpty()) {
            mismatch = questions[received] + " was answered with " + answer;
        }
        received++;
    }

    /** How long each question took, in its order. */
    long[] roundTripNs() {
        return roundTripNs;
    }

    long begunNs() {
        return begunNs;
    }

    long endedNs() {
        return endedNs;
    }

    /** How many times a question was refused. */
    long refused() {
        return refused;
    }

    /** The first answer that belongs to another question; empty if there was none. */
    String mismatch() {
        return mismatch;
    }
}
