package perflab.bench;

/**
 * A scenario that is one-shot by nature (a burst, a wake-up) and keeps its own clock.
 *
 * @param <S> the subject: what a variant hands to a scenario
 */
public non-sealed interface OwnClockScenario<S> extends Scenario<S> {

    /**
     * Sets up everything that outlives a repetition; none of it is timed.
     *
     * @param subject what is measured
     * @param setting this run's parameters, randomness and checks
     */
    Experiment open(S subject, Setting setting) throws Exception;
}
