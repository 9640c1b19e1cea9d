package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.UsageException;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.peer.cajun.Cajun;

/**
 * Cajun as it comes: neither its loop nor the bound of its mailboxes can be changed by a run.
 *
 * @param name the variant's
 * @param cajun in which way
 */
record CajunDesign(String name, Cajun cajun) implements Design {

    @Override
    public ActorSystem start(Conditions conditions) {
        conditions.requireOwnLoop(name);
        if (conditions.capacity().isPresent()) {
            throw new UsageException(
                    "variant '" + name + "' has mailboxes of its own bound", List.of("the default of capacity"));
        }
        return cajun.start();
    }
}
