package perflab.mailbox.peer.cajun;

import com.cajunsystems.Actor;
import com.cajunsystems.Pid;
import java.util.OptionalInt;
import perflab.mailbox.actor.ActorRef;

/**
 * An actor of Cajun's.
 *
 * @param <M> the type of its messages
 */
final class CajunRef<M> implements ActorRef<M> {

    private final Pid pid;
    private final Actor<?> actor;

    CajunRef(Pid pid, Actor<?> actor) {
        this.pid = pid;
        this.actor = actor;
    }

    /**
     * Its tell returns nothing: a full mailbox drops the message without a word.
     *
     * @return true, whatever became of the message
     */
    @Override
    public boolean tell(M message) {
        pid.tell(message);
        return true;
    }

    /** Empty once it has stopped: it clears its mailbox then, and nobody knows of what. */
    @Override
    public OptionalInt backlog() {
        return actor.isRunning() ? OptionalInt.of(actor.getCurrentSize()) : OptionalInt.empty();
    }

    @Override
    public boolean isAlive() {
        return actor.isRunning();
    }

    /** The only stop that it has waits for the actor's thread, for a second at most. */
    @Override
    public void stop() {
        actor.stop();
    }

    @Override
    public void close() {
        stop();
    }
}
