package perflab.mailbox.technique;

import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/**
 * "Actor pooling": an actor that was stopped does not end but is lent again, with its mailbox and its thread, to the
 * next who spawns one. There are as many as were ever alive at once; they end with the system.
 *
 * <p>Unlike an actor of its own, a stopped one handles what it was told before the stop.
 */
public final class ActorPool implements ActorSystem {

    private final ActorSystem system;

    /** Last in, first out: the one that rested least has the warmest stack and mailbox. */
    private final ConcurrentLinkedDeque<ActorRef<Lease.Parcel<?>>> idle = new ConcurrentLinkedDeque<>();

    public ActorPool(ActorSystem system) {
        this.system = system;
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        ActorRef<Lease.Parcel<?>> resting = idle.pollFirst();
        ActorRef<Lease.Parcel<?>> actor = resting != null ? resting : system.spawn(Lease.Parcel::open);
        return new Lease<>(actor, handler, () -> idle.addFirst(actor));
    }

    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        return system.spawnAnswering(answer);
    }

    @Override
    public void close() {
        system.close();
    }

    /**
     * A pooled actor in the hands of one who spawned it.
     *
     * <p><b>Why a lease sees no other lease's message.</b> Each message travels in a {@link Parcel} that names its
     * lease, and the handler is the lease's. What a slow sender tells to a lease after its end finds {@code ended} set,
     * which only the actor's own thread writes and reads there, and is dropped, as a message to a stopped actor is.
     *
     * <p><b>Why an actor is never lent twice.</b> The end is itself a parcel, sent once. The actor is given back by its
     * own thread, when it handles that parcel and so is done with all before it. An actor whose handler threw never
     * comes to it.
     */
    private static final class Lease<M> implements ActorRef<M> {

        private static final long END_CHECK_NS = TimeUnit.MICROSECONDS.toNanos(50);

        private final ActorRef<Parcel<?>> actor;
        private final Consumer<? super M> handler;
        private final Runnable giveBack;
        private boolean stopped;
        private volatile boolean ended;

        /** Waits for the end; {@link #close} writes it before it reads {@code ended}, {@link #end} goes the other way. */
        private volatile Thread closing;

        Lease(ActorRef<Parcel<?>> actor, Consumer<? super M> handler, Runnable giveBack) {
            this.actor = actor;
            this.handler = handler;
            this.giveBack = giveBack;
        }

        /**
         * What the actor's mailbox holds.
         *
         * @param message the message; null for the lease's end
         */
        record Parcel<M>(Lease<M> lease, M message) {

            void open() {
                if (message == null) {
                    lease.end();
                } else if (!lease.ended) {
                    lease.handler.accept(message);
                }
            }
        }

        private void end() {
            giveBack.run();
            ended = true;
            LockSupport.unpark(closing);
        }

        @Override
        public boolean tell(M message) {
            return actor.tell(new Parcel<>(this, message));
        }

        @Override
        public int tellAll(List<? extends M> messages) {
            return actor.tellAll(messages.stream()
                    .map(message -> new Parcel<M>(this, message))
                    .toList());
        }

        @Override
        public OptionalInt backlog() {
            return ended ? OptionalInt.of(0) : actor.backlog();
        }

        @Override
        public boolean isAlive() {
            return !ended && actor.isAlive();
        }

        @Override
        public boolean awaitIdle(long timeoutMs) {
            return actor.awaitIdle(timeoutMs);
        }

        /** Called by one thread at a time, as all that ends something. */
        @Override
        public void stop() {
            if (stopped) {
                return;
            }
            stopped = true;
            if (!actor.tell(new Parcel<>(this, null))) {
                // No room for the end: this actor is not lent again.
                actor.stop();
            }
        }

        @Override
        public void close() {
            closing = Thread.currentThread();
            stop();
            while (!ended && actor.isAlive()) {
                LockSupport.parkNanos(END_CHECK_NS);
            }
        }
    }
}
