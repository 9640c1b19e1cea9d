package perflab.mailbox.actor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;

/**
 * The steps of {@link MailboxActors#spawn}, each done for many actors before the next: so that the clock is read once per
 * step, not once per actor, as most steps take less time than reading it.
 *
 * @param <M> the type of the messages
 */
public final class SpawnSteps<M> {

    private final MailboxActors system;
    private final List<Consumer<? super M>> handlers;
    private final List<Mailbox<M>> mailboxes = new ArrayList<>();
    private final List<Processor<M>> processors = new ArrayList<>();
    private final List<MailboxActor<M>> actors = new ArrayList<>();

    SpawnSteps(MailboxActors system, List<Consumer<? super M>> handlers) {
        this.system = system;
        this.handlers = handlers;
    }

    public void createMailboxes() {
        handlers.forEach(handler -> mailboxes.add(system.newMailbox()));
    }

    public void createProcessors() {
        for (int i = 0; i < handlers.size(); i++) {
            processors.add(system.newProcessor(mailboxes.get(i), handlers.get(i)));
        }
    }

    public void createThreads() {
        for (int i = 0; i < handlers.size(); i++) {
            actors.add(system.newActor(mailboxes.get(i), processors.get(i)));
        }
    }

    public void register() {
        for (int i = 0; i < handlers.size(); i++) {
            system.register(actors.get(i), processors.get(i));
        }
    }

    /** Starts the threads; not that they run when it returns. */
    public void startThreads() {
        actors.forEach(MailboxActor::start);
    }

    public List<? extends ActorRef<M>> actors() {
        return actors;
    }
}
