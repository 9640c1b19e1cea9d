package perflab.bench;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** What a scenario looked at in its own outcome. The first check that does not hold ends the run. */
public final class Checks {

    private final Set<String> passed = new LinkedHashSet<>();

    /**
     * Demands that something holds.
     *
     * @param name the statement that is checked, in words that also read well in the {@code end} line
     * @param holds whether it does
     * @param evidence what was seen instead, used only if it does not hold
     * @throws ValidationException if it does not
     */
    public void require(String name, boolean holds, Supplier<String> evidence) {
        if (!holds) {
            throw new ValidationException(name + ": " + evidence.get());
        }
        passed.add(name);
    }

    /** The statements that held each time they were checked. */
    List<String> passed() {
        return List.copyOf(passed);
    }
}
