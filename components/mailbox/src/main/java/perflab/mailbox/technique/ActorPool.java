package perflab.mailbox.technique;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/**
 * "Actor pooling": an actor that was stopped does not end but is lent again, with its mailbox and its thread, to the next who
 * spawns one. There are as many as were ever alive at once; they end with the system.
 *
 * <p>Unlike an actor of its own, a stopped one handles what it was told before the stop.
 */
public final class ActorPool implements ActorSystem {

    private final ActorSystem system;

    /** Last in, first out: the one that rested least has the warmest stack and mailbox. */
    private final ConcurrentLinkedDeque<ActorRef<ActorLease.Parcel<?>>> idle = new ConcurrentLinkedDeque<>();

    public ActorPool(ActorSystem system) {
        this.system = system;
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        ActorRef<ActorLease.Parcel<?>> resting = idle.pollFirst();
        ActorRef<ActorLease.Parcel<?>> actor = resting != null ? resting : system.spawn(ActorLease.Parcel::open);
        return new ActorLease<>(actor, handler, () -> idle.addFirst(actor));
    }

    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        return system.spawnAnswering(answer);
    }

    @Override
    public void close() {
        system.close();
    }
}
