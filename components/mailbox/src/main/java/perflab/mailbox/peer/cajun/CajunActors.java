package perflab.mailbox.peer.cajun;

import com.cajunsystems.Actor;
import com.cajunsystems.Pid;
import com.cajunsystems.builder.ActorBuilder;
import com.cajunsystems.config.ThreadPoolFactory;
import com.cajunsystems.handler.Handler;
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

    private final com.cajunsystems.ActorSystem system = new com.cajunsystems.ActorSystem();
    private final CajunPreset preset;
    private final ThreadPoolFactory threads;

    CajunActors(CajunPreset preset) {
        this.preset = preset;
        threads = preset.threads();
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        Handler<M> receiver = (message, context) -> handler.accept(message);
        Pid pid = start(receiver);
        return new CajunRef<>(pid, system.getActor(pid));
    }

    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        Handler<Q> receiver = (question, context) -> {
            A content = answer.apply(question);
            context.getSender().ifPresent(asker -> asker.tell(content));
        };
        Pid pid = start(receiver);
        Actor<?> actor = system.getActor(pid);
        return new CajunAsker<>(system, pid, actor);
    }

    private <M> Pid start(Handler<M> receiver) {
        ActorBuilder<M> builder = system.actorOf(receiver);
        return (preset == CajunPreset.DEFAULT ? builder : builder.withThreadPoolFactory(threads)).spawn();
    }

    @Override
    public void close() {
        system.shutdown();
    }
}
