package perflab.mailbox.peer.cajun;

import com.cajunsystems.Actor;
import com.cajunsystems.ActorSystem;
import com.cajunsystems.Pid;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import perflab.mailbox.actor.Asker;

/**
 * Cajun's ask since it became promise-based: the question carries a number, a registry keeps the future under it, and
 * what the actor sends to its asker completes that future.
 *
 * <p>Each question also schedules its timeout. A task whose future was completed stays in the scheduler's queue until
 * the timeout has passed, so the memory in use grows with rate times timeout.
 *
 * @param <Q> the type of the questions
 * @param <A> the type of the answers
 */
final class CajunAsker<Q, A> implements Asker<Q, A> {

    /** As in its documentation. A question that a full mailbox drops ends with it: nothing else tells. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final ActorSystem system;
    private final Pid pid;
    private final Actor<?> actor;

    CajunAsker(ActorSystem system, Pid pid, Actor<?> actor) {
        this.system = system;
        this.pid = pid;
        this.actor = actor;
    }

    @Override
    public CompletableFuture<A> ask(Q question) {
        return system.ask(pid, question, TIMEOUT);
    }

    @Override
    public void close() {
        actor.stop();
    }
}
