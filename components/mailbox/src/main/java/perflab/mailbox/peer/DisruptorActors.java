package perflab.mailbox.peer;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import com.lmax.disruptor.util.Util;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
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
    private final Supplier<WaitStrategy> strategies;
    private final Set<Ref<?>> registry = ConcurrentHashMap.newKeySet();

    /**
     * Makes a system without actors, which wait as Disruptors do by default.
     *
     * @param capacity the slots of each actor's ring, rounded up to a power of two
     */
    public DisruptorActors(int capacity) {
        this(capacity, BlockingWaitStrategy::new);
    }

    /**
     * Makes a system without actors.
     *
     * @param capacity the slots of each actor's ring, rounded up to a power of two
     */
    public DisruptorActors(int capacity, Supplier<WaitStrategy> strategies) {
        this.capacity = Util.ceilingNextPowerOfTwo(capacity);
        this.strategies = strategies;
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        Ref<M> actor = new Ref<>(capacity, strategies.get(), handler, registry::remove);
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
        List<Ref<?>> actors = List.copyOf(registry); // stopping empties it
        actors.forEach(Ref::stop);
        actors.forEach(Ref::close);
    }

    /**
     * Producers retry a compare-and-set, and take the lock of {@link BlockingWaitStrategy} to signal where that is how the actor waits;
     * the actor is the ring's only event handler.
     */
    private static final class Ref<M> implements ActorRef<M> {

        /** Where a message is while it waits; the slots are the ring's, and used again. */
        private static final class Slot<M> {
            private M message;
        }

        private final EventTranslatorOneArg<Slot<M>, M> fill = (slot, sequence, message) -> slot.message = message;
        private final Disruptor<Slot<M>> disruptor;
        private final RingBuffer<Slot<M>> ring;
        private final Consumer<? super Ref<M>> atStop;
        private Thread thread;

        Ref(int capacity, WaitStrategy strategy, Consumer<? super M> handler, Consumer<? super Ref<M>> atStop) {
            this.atStop = atStop;
            disruptor = new Disruptor<>(Slot::new, capacity, this::thread, ProducerType.MULTI, strategy);
            disruptor.handleEventsWith(handlingBy(handler));
            ring = disruptor.getRingBuffer();
        }

        /** Clears the slot, or the ring would keep every message until its slot's next turn. */
        private static <M> EventHandler<Slot<M>> handlingBy(Consumer<? super M> handler) {
            return (slot, sequence, endOfBatch) -> {
                M message = slot.message;
                slot.message = null;
                handler.accept(message);
            };
        }

        private Thread thread(Runnable processor) {
            thread = DaemonThreadFactory.INSTANCE.newThread(processor);
            return thread;
        }

        void start() {
            disruptor.start();
        }

        @Override
        public boolean tell(M message) {
            return ring.tryPublishEvent(fill, message);
        }

        /** One claim for all of them, where there is room for all. */
        @Override
        @SuppressWarnings("unchecked") // the array goes nowhere but into the ring, element by element
        public int tellAll(List<? extends M> messages) {
            int count = messages.size();
            boolean fits = count > 0 && count <= ring.getBufferSize();
            return fits && ring.tryPublishEvents(fill, (M[]) messages.toArray())
                    ? count
                    : ActorRef.super.tellAll(messages);
        }

        /** Includes the messages of the batch in hand. */
        @Override
        public OptionalInt backlog() {
            return OptionalInt.of((int) (ring.getBufferSize() - ring.remainingCapacity()));
        }

        @Override
        public boolean isAlive() {
            return thread.isAlive();
        }

        /** Ends the processor after the batch in hand, which is all that it found when it last looked. */
        @Override
        public void stop() {
            disruptor.halt();
            atStop.accept(this);
        }

        @Override
        public void close() {
            stop();
            ActorRef.awaitEnd(thread);
        }
    }
}
