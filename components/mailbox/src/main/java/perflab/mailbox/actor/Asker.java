package perflab.mailbox.actor;

import java.util.concurrent.CompletableFuture;

/**
 * An actor that answers, seen from outside.
 *
 * @param <Q> the type of the questions
 * @param <A> the type of the answers
 */
public interface Asker<Q, A> extends AutoCloseable {

    /** Sends a question. The answer completes the future; a question refused fails it with {@link RefusedException}. */
    CompletableFuture<A> ask(Q question);

    /** Stops the actor and what was needed to ask it. */
    @Override
    void close();
}
