package perflab.mailbox.baseline;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/**
 * A new virtual thread for each message in the place of an actor system: the report's baseline.
 *
 * <p><b>Weakened contract.</b> Nothing keeps a handler's messages apart or in order: this is the baseline of scenarios in
 * which each actor gets one message, or does not care.
 */
public final class TaskThreads implements ActorSystem {

    private static final long STOP_LIMIT_S = 5;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        return new Submitter<>(executor, handler);
    }

    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        throw new UnsupportedOperationException("a task has no one to answer");
    }

    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(STOP_LIMIT_S, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Submitter<M>(ExecutorService executor, Consumer<? super M> handler) implements ActorRef<M> {

        @Override
        public boolean tell(M message) {
            try {
                executor.execute(() -> handler.accept(message));
                return true;
            } catch (RejectedExecutionException e) {
                return false;
            }
        }

        @Override
        public boolean isAlive() {
            return !executor.isShutdown();
        }

        @Override
        public void stop() {
            // the tasks end by themselves
        }

        @Override
        public void close() {
            stop();
        }
    }
}
