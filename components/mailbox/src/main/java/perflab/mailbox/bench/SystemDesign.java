package perflab.mailbox.bench;

import java.util.function.IntFunction;
import perflab.mailbox.actor.ActorSystem;

/**
 * A library's actors on threads, loops and mailboxes of its own.
 *
 * @param name the variant's
 * @param ofCapacity starts a system; one without a bound takes no notice of the capacity
 */
record SystemDesign(String name, IntFunction<ActorSystem> ofCapacity) implements Design {

    /** The capacity of {@code linked}. */
    private static final int CAPACITY = 10_000;

    @Override
    public ActorSystem start(Conditions conditions) {
        conditions.requireOwnLoop(name);
        return ofCapacity.apply(conditions.capacity().orElse(CAPACITY));
    }
}
