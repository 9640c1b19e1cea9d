package perflab.mailbox.peer;

import com.lmax.disruptor.util.Util;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.Asker;

/**
 * A Disruptor for each actor, with the actor as its one event handler, on a platform thread.
 *
 * <p>Not a {@code Mailbox}, because a Disruptor is not a queue that somebody empties: its processor calls the handler, batch
 * by batch, and gives slots back only at a batch's end. Behind a queue's interface that would be lost. Nor has its blocking
 * wait a time limit, which a poll needs.
 *
 * <p>All slots are made beforehand: a ring of 16,384 takes some 400 KB per actor. A Disruptor is meant to be one of few.
 */
public final class DisruptorActors implements ActorSystem {

    private final int capacity;
    private final Set<DisruptorActor<?>> registry = ConcurrentHashMap.newKeySet();

    /**
     * Makes a system without actors.
     *
     * @param capacity the slots of each actor's ring, rounded up to a power of two
     */
    public DisruptorActors(int capacity) {
        this.capacity = Util.ceilingNextPowerOfTwo(capacity);
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        DisruptorActor<M> actor = new DisruptorActor<>(capacity, handler, registry::remove);
        registry.add(actor);
        actor.start();
        return actor;
    }

    /** A Disruptor has no answers of its own: its users put a future into the event. */
    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        return AskStyle.PROMISE.over(this, answer);
    }

    @Override
    public void close() {
        List<DisruptorActor<?>> actors = List.copyOf(registry); // stopping empties it
        actors.forEach(DisruptorActor::stop);
        actors.forEach(DisruptorActor::close);
    }
}
