package perflab.bench;

/**
 * A steady-state scenario, measured by JMH in one fork with JMH's own compiler hints.
 *
 * <p>The fork is a fresh process, so the subject cannot be handed over. The benchmark's {@code @State} declares
 * {@code @Param} strings named {@code variant} and {@code plugin} (and one per scenario parameter, and {@code seed} if
 * it wants it), and looks the subject up with {@link Bench#variant(String, String)}. It validates its outcome by
 * throwing a {@link ValidationException}.
 *
 * @param <S> the subject: what a variant hands to a scenario
 */
public non-sealed interface JmhScenario<S> extends Scenario<S> {

    /** The class whose one {@code @Benchmark} method is run. */
    Class<?> benchmark();

    /** What the benchmark validates, for the {@code end} line. */
    String check();
}
