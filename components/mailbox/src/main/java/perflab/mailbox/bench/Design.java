package perflab.mailbox.bench;

import java.util.Optional;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.ActorSystem;

/** What a variant hands to the scenarios. */
public interface Design {

    /**
     * Starts a system of this design.
     *
     * @throws perflab.bench.UsageException if it cannot meet the conditions
     * @throws perflab.bench.MissingException if it needs what this machine or this JVM does not have
     */
    ActorSystem start(Conditions conditions);

    /** How many messages a sender tells in one operation. */
    default int tellsAtOnce() {
        return 1;
    }

    /** Its mailboxes alone; empty for a system that keeps them to itself. */
    default Optional<MailboxFactory> mailboxes() {
        return Optional.empty();
    }
}
