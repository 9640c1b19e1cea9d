package perflab.mailbox.actor;

import java.util.concurrent.CompletableFuture;

/** An actor that answers, seen from outside. */
public interface Asker<Q, A> extends AutoCloseable {

    /** Sends a question. The answer completes the future; a question refused fails it with {@link RefusedException}. */
    CompletableFuture<A> ask(Q question);

    @Override
    void close();
}
