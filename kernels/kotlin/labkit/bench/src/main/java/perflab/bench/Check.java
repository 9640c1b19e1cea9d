package perflab.bench;

/**
 * One statement of a component's contract, checked on a variant.
 *
 * @param name the statement
 * @param body passes by returning; whatever it throws is the evidence against the statement
 * @param <S> the type of the subject
 */
public record Check<S>(String name, Body<S> body) {

    /** The code of a check. */
    @FunctionalInterface
    public interface Body<S> {
        void run(S subject) throws Exception;
    }

    /**
     * Demands that something holds.
     *
     * @throws AssertionError if it does not
     */
    public static void require(boolean holds, String evidence) {
        if (!holds) {
            throw new AssertionError(evidence);
        }
    }

    /**
     * Runs the check on a thread of its own.
     *
     * @param limitMs how long it may take, in milliseconds; a check that hangs is interrupted, then left behind
     * @throws Throwable what the check threw, or an {@code AssertionError} if it took too long
     */
    public void run(S subject, long limitMs) throws Throwable {
        Outcome outcome = new Outcome();
        Thread thread = Thread.ofPlatform().daemon().name("check: " + name).unstarted(() -> {
            try {
                body.run(subject);
            } catch (Throwable thrown) {
                outcome.thrown = thrown;
            }
        });
        thread.start();
        thread.join(limitMs);
        if (thread.isAlive()) {
            thread.interrupt();
            throw new AssertionError("did not end within " + limitMs + " ms");
        }
        if (outcome.thrown != null) {
            throw outcome.thrown;
        }
    }

    /** Written by the check's thread, read after it was joined. */
    private static final class Outcome {
        private Throwable thrown;
    }
}
