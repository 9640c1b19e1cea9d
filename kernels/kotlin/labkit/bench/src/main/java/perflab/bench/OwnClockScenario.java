package perflab.bench;

/**
 * A scenario that is one-shot by nature (a burst, a wake-up) and keeps its own clock.
 *
 * @param spec what it tells about itself
 * @param opening sets it up for a run
 * @param <S> the subject: what a variant hands to a scenario
 */
public record OwnClockScenario<S>(ScenarioSpec spec, Opening<S> opening) implements Scenario<S> {

    /** How a scenario begins; mostly the constructor of its experiment. */
    @FunctionalInterface
    public interface Opening<S> {

        /**
         * Sets up everything that outlives a repetition; none of it is timed.
         *
         * @param subject what is measured
         * @param setting this run's parameters, randomness and checks
         */
        Experiment open(S subject, Setting setting) throws Exception;
    }
}
