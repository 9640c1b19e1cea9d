package perflab.mailbox.peer;

import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The root of Pekko's actors: it alone may start and stop its children, and it sees them end. Pekko's own
 * {@code SpawnProtocol} only starts them.
 */
final class Guardian {

    sealed interface Command {}

    /** Starts a child; the future completes when it has ended, for whatever reason. */
    record Spawn<M>(Behavior<M> behavior, Props props, CompletableFuture<Void> ended, ActorRef<ActorRef<M>> replyTo)
            implements Command {

        private void in(ActorContext<Command> context) {
            ActorRef<M> child = context.spawnAnonymous(behavior, props);
            context.watchWith(child, new Ended(ended));
            replyTo.tell(child);
        }
    }

    /** Stops a child after the message in hand. */
    record Stop(ActorRef<?> child) implements Command {}

    private record Ended(CompletableFuture<Void> ended) implements Command {}

    private Guardian() {}

    static Behavior<Command> create() {
        return Behaviors.receive((context, command) -> {
            switch (command) {
                case Spawn<?> spawn -> spawn.in(context);
                case Stop stop -> context.stop(stop.child());
                case Ended child -> child.ended().complete(null);
            }
            return Behaviors.same();
        });
    }
}
