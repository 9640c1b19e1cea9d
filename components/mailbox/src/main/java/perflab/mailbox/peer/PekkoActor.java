package perflab.mailbox.peer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorSystem;
import perflab.mailbox.actor.ActorRef;

/**
 * A typed actor. Its mailbox tells nobody how full it is, nor whether it took a message.
 *
 * @param <M> the type of the messages
 */
final class PekkoActor<M> implements ActorRef<M> {

    private static final long STOP_LIMIT_S = 5;

    private final org.apache.pekko.actor.typed.ActorRef<M> ref;
    private final CompletableFuture<Void> ended;
    private final ActorSystem<Guardian.Command> guardian;

    PekkoActor(
            org.apache.pekko.actor.typed.ActorRef<M> ref,
            CompletableFuture<Void> ended,
            ActorSystem<Guardian.Command> guardian) {
        this.ref = ref;
        this.ended = ended;
        this.guardian = guardian;
    }

    org.apache.pekko.actor.typed.ActorRef<M> ref() {
        return ref;
    }

    @Override
    public boolean tell(M message) {
        ref.tell(message);
        return true;
    }

    @Override
    public boolean isAlive() {
        return !ended.isDone()
                && !guardian.getWhenTerminated().toCompletableFuture().isDone();
    }

    @Override
    public void stop() {
        guardian.tell(new Guardian.Stop(ref));
    }

    @Override
    public void close() {
        stop();
        CompletableFuture.anyOf(ended, guardian.getWhenTerminated().toCompletableFuture())
                .orTimeout(STOP_LIMIT_S, TimeUnit.SECONDS)
                .join();
    }
}
