package perflab.bench;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * What a scenario is run with.
 *
 * @param parameters their values in this run
 * @param seed from {@code --seed}
 * @param checks where it records what it validated
 */
public record Setting(Parameters parameters, long seed, Checks checks) {

    /** A new generator; two of them from one setting give the same numbers. */
    public RandomGenerator random() {
        // Of java.base: a small runtime lacks the module with the newer generators.
        return new SplittableRandom(seed);
    }
}
