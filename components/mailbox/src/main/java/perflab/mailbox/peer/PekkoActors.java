package perflab.mailbox.peer;

import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/**
 * Apache Pekko's typed actors on its default dispatcher, a ForkJoinPool, where an idle actor has no thread.
 *
 * <p>{@code tell} returns nothing: what reaches a stopped actor goes to the dead letters. An ask of a stopped actor
 * fails at once, one that the actor did not come to, at the time limit.
 */
public final class PekkoActors implements ActorSystem {

    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
    private static final long STOP_LIMIT_S = 10;

    private final org.apache.pekko.actor.typed.ActorSystem<Guardian.Command> system;

    public PekkoActors() {
        system = org.apache.pekko.actor.typed.ActorSystem.create(
                Guardian.create(), "peer", ConfigFactory.load("perflab/mailbox/peer/pekko"));
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        return start(Behaviors.receiveMessage(message -> {
            handler.accept(message);
            return Behaviors.same();
        }));
    }

    private record Question<Q, A>(Q content, org.apache.pekko.actor.typed.ActorRef<A> replyTo) {}

    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        Ref<Question<Q, A>> server = start(Behaviors.receiveMessage(question -> {
            question.replyTo().tell(answer.apply(question.content()));
            return Behaviors.same();
        }));
        return new Asker<>() {
            @Override
            public CompletableFuture<A> ask(Q question) {
                return AskPattern.<Question<Q, A>, A>ask(
                                server.ref(),
                                replyTo -> new Question<>(question, replyTo),
                                ANSWER_LIMIT,
                                system.scheduler())
                        .toCompletableFuture();
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    private <M> Ref<M> start(Behavior<M> behavior) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        CompletableFuture<org.apache.pekko.actor.typed.ActorRef<M>> ref =
                AskPattern.<Guardian.Command, org.apache.pekko.actor.typed.ActorRef<M>>ask(
                                system,
                                replyTo -> new Guardian.Spawn<>(behavior, ended, replyTo),
                                ANSWER_LIMIT,
                                system.scheduler())
                        .toCompletableFuture();
        return new Ref<>(ref.join(), ended, system);
    }

    @Override
    public void close() {
        system.terminate();
        system.getWhenTerminated()
                .toCompletableFuture()
                .orTimeout(STOP_LIMIT_S, TimeUnit.SECONDS)
                .join();
    }

    private record Ref<M>(
            org.apache.pekko.actor.typed.ActorRef<M> ref,
            CompletableFuture<Void> ended,
            org.apache.pekko.actor.typed.ActorSystem<Guardian.Command> guardian)
            implements ActorRef<M> {

        @Override
        public boolean tell(M message) {
            ref.tell(message);
            return true;
        }

        @Override
        public boolean isAlive() {
            return !ended.isDone()
                    && !guardian.getWhenTerminated().toCompletableFuture().isDone();
        }

        @Override
        public void stop() {
            guardian.tell(new Guardian.Stop(ref));
        }

        @Override
        public void close() {
            stop();
            CompletableFuture.anyOf(ended, guardian.getWhenTerminated().toCompletableFuture())
                    .orTimeout(STOP_LIMIT_S, TimeUnit.SECONDS)
                    .join();
        }
    }

    /**
     * The root of Pekko's actors: it alone may start and stop its children, and it sees them end. Pekko's own
     * {@code SpawnProtocol} only starts them.
     */
    private static final class Guardian {

        sealed interface Command {}

        /** Starts a child; the future completes when it has ended, for whatever reason. */
        record Spawn<M>(
                Behavior<M> behavior,
                CompletableFuture<Void> ended,
                org.apache.pekko.actor.typed.ActorRef<org.apache.pekko.actor.typed.ActorRef<M>> replyTo)
                implements Command {

            private void in(ActorContext<Command> context) {
                org.apache.pekko.actor.typed.ActorRef<M> child = context.spawnAnonymous(behavior);
                context.watchWith(child, new Ended(ended));
                replyTo.tell(child);
            }
        }

        record Stop(org.apache.pekko.actor.typed.ActorRef<?> child) implements Command {}

        private record Ended(CompletableFuture<Void> ended) implements Command {}

        private Guardian() {}

        static Behavior<Command> create() {
            return Behaviors.receive((context, command) -> {
                switch (command) {
                    case Spawn<?> spawn -> spawn.in(context);
                    case Stop stop -> context.stop(stop.child());
                    case Ended child -> child.ended().complete(null);
                }
                return Behaviors.same();
            });
        }
    }
}
