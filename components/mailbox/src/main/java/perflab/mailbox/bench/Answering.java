package perflab.mailbox.bench;

import java.util.function.UnaryOperator;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The actor that is asked: works, checks the order of each asker's questions, and answers with the question itself. So an
 * answer is known by its identity, and the scenario adds no object of its own to what an ask allocates.
 *
 * <p>Only the actor writes the fields. Who holds the answer to the last question sees all of them, through its future.
 */
final class Answering implements UnaryOperator<Question> {

    private final int[] next;
    private final int questionsEach;
    private final long work;
    private long answered;
    private String disorder = "";

    /**
     * Expects each asker to ask its questions in order, then again from the first.
     *
     * @param work per question, in tokens of JMH's Blackhole
     */
    Answering(int askers, int questionsEach, long work) {
        this.next = new int[askers];
        this.questionsEach = questionsEach;
        this.work = work;
    }

    @Override
    public Question apply(Question question) {
        if (work > 0) {
            Blackhole.consumeCPU(work);
        }
        int expected = next[question.asker()];
        if (question.number() != expected && disorder.isEmpty()) {
            disorder =
                    "asker " + question.asker() + "'s question " + question.number() + " came in place of " + expected;
        }
        next[question.asker()] = (expected + 1) % questionsEach;
        answered++;
        return question;
    }

    long answered() {
        return answered;
    }

    /** The first question out of order; empty if there was none. */
    String disorder() {
        return disorder;
    }
}
