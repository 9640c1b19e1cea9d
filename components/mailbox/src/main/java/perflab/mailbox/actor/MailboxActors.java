package perflab.mailbox.actor;

import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/**
 * The component's own actor system: a mailbox, a {@link Processor} and a thread for each actor, as in Cajun.
 *
 * <p>It keeps a registry of its actors, for {@link #close()} to stop. An actor leaves it when its loop ends, for whatever
 * reason.
 */
public final class MailboxActors implements ActorSystem {

    private final MailboxFactory mailboxes;
    private final PollLoop loop;
    private final ThreadKind threads;
    private final AskStyle askStyle;
    private final Set<MailboxActor<?>> registry = ConcurrentHashMap.newKeySet();

    public MailboxActors(MailboxFactory mailboxes, PollLoop loop, ThreadKind threads, AskStyle askStyle) {
        this.mailboxes = mailboxes;
        this.loop = loop;
        this.threads = threads;
        this.askStyle = askStyle;
    }

    @Override
    public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
        Mailbox<M> mailbox = newMailbox();
        Processor<M> processor = newProcessor(mailbox, handler);
        MailboxActor<M> actor = newActor(mailbox, processor);
        register(actor, processor);
        actor.start();
        return actor;
    }

    public <M> SpawnSteps<M> spawnInSteps(int count, Callable<? extends Consumer<? super M>> newHandler) {
        return new SpawnSteps<>(this, count, newHandler);
    }

    <M> Mailbox<M> newMailbox() {
        return mailboxes.create();
    }

    <M> Processor<M> newProcessor(Mailbox<M> mailbox, Consumer<? super M> handler) {
        return new Processor<>(mailbox, loop, handler);
    }

    <M> MailboxActor<M> newActor(Mailbox<M> mailbox, Processor<M> processor) {
        return new MailboxActor<>(mailbox, processor, threads.unstarted("actor", processor));
    }

    void register(MailboxActor<?> actor, Processor<?> processor) {
        registry.add(actor);
        processor.atEnd(() -> registry.remove(actor));
    }

    @Override
    public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
        return askStyle.over(this, answer);
    }

    int liveActors() {
        return registry.size();
    }

    @Override
    public void close() {
        // a copy: an actor leaves the registry just before its thread ends, and close() waits for the thread
        List<MailboxActor<?>> actors = List.copyOf(registry);
        actors.forEach(MailboxActor::stop);
        actors.forEach(MailboxActor::close);
    }
}
