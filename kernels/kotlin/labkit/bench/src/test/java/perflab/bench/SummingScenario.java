package perflab.bench;

/** A JMH scenario for the tests: fails its validation for a subject other than three. */
final class SummingScenario implements JmhScenario<Integer> {

    @Override
    public ScenarioSpec spec() {
        return ScenarioSpec.named("summing")
                .headline("time", "ns/sum", Better.LOWER)
                .parameter(Parameter.ofInt("length", 1_000, 1, 10_000, "how many numbers are summed"))
                .parameter(Parameter.ofBool("wrong", false, "whether the sum is wrong"))
                .build();
    }

    @Override
    public Class<?> benchmark() {
        return SummingBenchmark.class;
    }

    @Override
    public String check() {
        return "sums are right";
    }
}
