package perflab.bench;

/**
 * A steady-state scenario, measured by JMH in one fork with JMH's own compiler hints.
 *
 * <p>The fork is a fresh process, so the subject cannot be handed over. The benchmark's {@code @State} declares
 * {@code @Param} strings named {@code variant} and {@code plugin} (and one per scenario parameter, and {@code seed} if
 * it wants it), and looks the subject up with {@link Bench#variant(String, String)}. It validates its outcome by
 * throwing a {@link ValidationException}.
 *
 * @param spec what it tells about itself
 * @param benchmark the class whose one {@code @Benchmark} method is run
 * @param check what the benchmark validates, for the {@code end} line
 * @param <S> the subject: what a variant hands to a scenario
 */
public record JmhScenario<S>(ScenarioSpec spec, Class<?> benchmark, String check) implements Scenario<S> {}
