package perflab.mailbox.bench;

import java.util.OptionalInt;
import perflab.bench.Checks;
import perflab.mailbox.actor.ActorRef;

/** The check that a stopped actor has handled all that it was told. */
final class Leftovers {

    private Leftovers() {}

    static void requireNone(Checks checks, ActorRef<?> actor) {
        OptionalInt backlog = actor.backlog();
        if (backlog.isPresent()) {
            checks.require(
                    "nothing is left in the mailbox", backlog.getAsInt() == 0, () -> backlog.getAsInt() + " messages");
        }
    }
}
