package perflab.mailbox.actor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;

/** How the answer to a question finds its way back. */
public enum AskStyle {

    /** A temporary actor per question, spawned to receive its one answer: Cajun's ask at the time of the report. */
    TEMPORARY_ACTOR {
        @Override
        public <Q, A> Asker<Q, A> over(ActorSystem system, Function<? super Q, ? extends A> answer) {
            ActorRef<Question<Q, A>> server = system.spawn(question -> question.answerBy(answer));
            return new Asking<>(server) {
                @Override
                void send(Q question, CompletableFuture<A> future) {
                    ActorRef<A> temporary = system.spawn(future::complete);
                    future.whenComplete((received, error) -> temporary.stop());
                    tell(new Question<>(question, temporary::tell), future);
                }
            };
        }
    },

    /** The question carries the future itself, and the server completes it: what Cajun does since. */
    PROMISE {
        @Override
        public <Q, A> Asker<Q, A> over(ActorSystem system, Function<? super Q, ? extends A> answer) {
            ActorRef<Question<Q, A>> server = system.spawn(question -> question.answerBy(answer));
            return new Asking<>(server) {
                @Override
                void send(Q question, CompletableFuture<A> future) {
                    tell(new Question<>(question, future::complete), future);
                }
            };
        }
    },

    /** One actor receives the answers to all questions and tells them apart by number: the report's future optimization. */
    SHARED_HANDLER {
        @Override
        public <Q, A> Asker<Q, A> over(ActorSystem system, Function<? super Q, ? extends A> answer) {
            ConcurrentMap<Long, CompletableFuture<A>> pending = new ConcurrentHashMap<>();
            AtomicLong numbers = new AtomicLong();
            ActorRef<Question<Q, A>> server = system.spawn(question -> question.answerBy(answer));
            ActorRef<Answer<A>> replies =
                    system.spawn(reply -> pending.remove(reply.number()).complete(reply.content()));
            return new Asking<>(server) {
                @Override
                void send(Q question, CompletableFuture<A> future) {
                    long number = numbers.incrementAndGet();
                    pending.put(number, future);
                    tell(new Question<>(question, content -> reply(number, content)), future);
                    if (future.isCompletedExceptionally()) {
                        pending.remove(number);
                    }
                }

                /** The server waits for room: the shared actor never waits for the server, so there soon is some. */
                private void reply(long number, A content) {
                    Answer<A> answer = new Answer<>(number, content);
                    while (!replies.tell(answer) && replies.isAlive()) {
                        LockSupport.parkNanos(ROOM_CHECK_NS);
                    }
                }

                @Override
                public void close() {
                    super.close();
                    replies.close();
                }
            };
        }
    };

    private static final long ROOM_CHECK_NS = 1_000;

    /** Starts an actor that answers, asked in this style. */
    public abstract <Q, A> Asker<Q, A> over(ActorSystem system, Function<? super Q, ? extends A> answer);

    private record Question<Q, A>(Q content, Consumer<? super A> reply) {

        void answerBy(Function<? super Q, ? extends A> answer) {
            reply.accept(answer.apply(content));
        }
    }

    private record Answer<A>(long number, A content) {}

    private abstract static class Asking<Q, A> implements Asker<Q, A> {

        private final ActorRef<Question<Q, A>> server;

        Asking(ActorRef<Question<Q, A>> server) {
            this.server = server;
        }

        abstract void send(Q question, CompletableFuture<A> future);

        @Override
        public CompletableFuture<A> ask(Q question) {
            CompletableFuture<A> future = new CompletableFuture<>();
            send(question, future);
            return future;
        }

        void tell(Question<Q, A> question, CompletableFuture<A> future) {
            if (!server.tell(question)) {
                future.completeExceptionally(new RefusedException());
            }
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
