package perflab.mailbox.peer;

import com.softwaremill.jox.Channel;
import com.softwaremill.jox.ChannelClosed;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.Asker;

/**
 * Virtual threads that each receive from an unlimited channel of Jox, which brings Kotlin's channels to them.
 *
 * <p>Not a {@code Mailbox}, because a channel does not say how many messages are in it. Bounded ones make a sender wait, and
 * cannot refuse a message.
 */
public final class JoxActors implements ActorSystem {

    private final Set<Ref<?>> registry = ConcurrentHashMap.newKeySet();

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        Ref<M> actor = new Ref<>(handler, registry::remove);
        registry.add(actor);
        actor.thread.start();
        return actor;
    }

    /** A channel has no answers of its own: its users put a future into the message. */
    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        return AskStyle.PROMISE.over(this, answer);
    }

    @Override
    public void close() {
        List<Ref<?>> actors = List.copyOf(registry); // their ends empty it
        actors.forEach(Ref::stop);
        actors.forEach(Ref::close);
    }

    /** Senders claim a cell by one fetch-and-add; the thread parks when there is nothing to receive. */
    private static final class Ref<M> implements ActorRef<M> {

        private final Channel<M> channel = Channel.newUnlimitedChannel();
        private final Thread thread;

        Ref(Consumer<? super M> handler, Consumer<? super Ref<M>> atEnd) {
            thread = Thread.ofVirtual().unstarted(() -> {
                try {
                    receive(handler);
                } finally {
                    stop(); // what comes later is refused
                    atEnd.accept(this);
                }
            });
        }

        @SuppressWarnings("unchecked") // what is not the mark of the end is a message
        private void receive(Consumer<? super M> handler) {
            try {
                Object message;
                while (!((message = channel.receiveOrClosed()) instanceof ChannelClosed)) {
                    handler.accept((M) message);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts an actor", e);
            }
        }

        @Override
        public boolean tell(M message) {
            try {
                return !(channel.sendOrClosed(message) instanceof ChannelClosed);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        @Override
        public boolean isAlive() {
            return thread.isAlive();
        }

        /** By an error, as what is in a channel that is only done is still received. */
        @Override
        public void stop() {
            channel.errorOrClosed(new CancellationException("the actor was stopped"));
        }

        @Override
        public void close() {
            stop();
            ActorRef.awaitEnd(thread);
        }
    }
}
