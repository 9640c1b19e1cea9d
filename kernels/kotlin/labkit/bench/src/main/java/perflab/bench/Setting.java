package perflab.bench;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * What a scenario is run with.
 *
 * @param parameters the values of its knobs
 * @param seed from {@code --seed}
 * @param checks where it records what it validated
 */
public record Setting(Parameters parameters, long seed, Checks checks) {

    /** A new generator; two of them from one setting give the same numbers. */
    public RandomGenerator random() {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }
}
