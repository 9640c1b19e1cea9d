package perflab.mailbox.peer.cajun;

import com.cajunsystems.Actor;
import com.cajunsystems.Pid;
import com.cajunsystems.builder.ActorBuilder;
import com.cajunsystems.config.ThreadPoolFactory;
import com.cajunsystems.config.ThreadPoolFactory.WorkloadType;
import com.cajunsystems.handler.Handler;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/**
 * Cajun's own actor system: a thread for each actor, which polls its mailbox with a timeout of 1 ms and handles up to
 * ten messages at once.
 */
final class CajunActors implements ActorSystem {

    /** As in its documentation. A question that a full mailbox drops ends with it: nothing else tells. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

    private final com.cajunsystems.ActorSystem system = new com.cajunsystems.ActorSystem();
    private final boolean cpuBound;
    private final ThreadPoolFactory cpuBoundThreads = new ThreadPoolFactory().optimizeFor(WorkloadType.CPU_BOUND);

    /**
     * Starts a system.
     *
     * @param cpuBound whether its actors have the preset for computation, as its documentation says to choose it
     */
    CajunActors(boolean cpuBound) {
        this.cpuBound = cpuBound;
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        Handler<M> receiver = (message, context) -> handler.accept(message);
        Pid pid = start(receiver);
        return new Ref<>(pid, system.getActor(pid));
    }

    /**
     * Its ask since that became promise-based: the question carries a number, a registry keeps the future under it, and
     * what the actor sends to its asker completes that future.
     *
     * <p>Each question also schedules its timeout. A task whose future was completed stays in the scheduler's queue
     * until the timeout has passed, so the memory in use grows with rate times timeout.
     */
    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        Handler<Q> receiver = (question, context) -> {
            A content = answer.apply(question);
            context.getSender().ifPresent(asker -> asker.tell(content));
        };
        Pid pid = start(receiver);
        Actor<?> actor = system.getActor(pid);
        return new Asker<>() {
            @Override
            public CompletableFuture<A> ask(Q question) {
                return system.ask(pid, question, ANSWER_LIMIT);
            }

            @Override
            public void close() {
                actor.stop();
            }
        };
    }

    private <M> Pid start(Handler<M> receiver) {
        ActorBuilder<M> builder = system.actorOf(receiver);
        return (cpuBound ? builder.withThreadPoolFactory(cpuBoundThreads) : builder).spawn();
    }

    @Override
    public void close() {
        system.shutdown();
    }

    private record Ref<M>(Pid pid, Actor<?> actor) implements ActorRef<M> {

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
}
