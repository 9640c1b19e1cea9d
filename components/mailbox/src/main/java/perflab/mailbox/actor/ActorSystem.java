package perflab.mailbox.actor;

import java.util.function.Consumer;
import java.util.function.Function;

/** Where actors live: the part of an actor library that the scenarios need. */
public interface ActorSystem extends AutoCloseable {

    /**
     * Starts an actor.
     *
     * @param handler called with one message at a time; what a call did happens before the next one
     */
    <M> ActorRef<M> spawn(Consumer<? super M> handler);

    /**
     * Starts an actor that answers questions.
     *
     * @param answer called with one question at a time
     */
    <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer);

    /** Stops all actors and whatever the system itself runs on. */
    @Override
    void close();
}
