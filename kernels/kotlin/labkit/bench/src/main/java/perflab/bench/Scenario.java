package perflab.bench;

/**
 * Something that can be measured of every variant.
 *
 * @param <S> the subject: what a variant hands to a scenario
 */
public sealed interface Scenario<S> permits OwnClockScenario, JmhScenario {

    /** What it tells about itself. */
    ScenarioSpec spec();
}
