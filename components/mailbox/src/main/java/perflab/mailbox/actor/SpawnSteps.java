package perflab.mailbox.actor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;

/**
 * The steps of {@link MailboxActors#spawn}, each done for many actors before the next: so that the clock is read once per
 * step, not once per actor, as most steps take less time than reading it.
 */
public final class SpawnSteps<M> {

    public enum Part {
        HANDLER,
        MAILBOX,
        PROCESSOR,
        THREAD,
        REGISTRATION,
        /** Until the call that starts the thread returns, not until the thread runs. */
        START;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final MailboxActors system;
    private final int count;
    private final Callable<? extends Consumer<? super M>> newHandler;
    private final List<Consumer<? super M>> handlers = new ArrayList<>();
    private final List<Mailbox<M>> mailboxes = new ArrayList<>();
    private final List<Processor<M>> processors = new ArrayList<>();
    private final List<MailboxActor<M>> actors = new ArrayList<>();

    SpawnSteps(MailboxActors system, int count, Callable<? extends Consumer<? super M>> newHandler) {
        this.system = system;
        this.count = count;
        this.newHandler = newHandler;
    }

    /** Does one part for all actors; the parts before it have been done. */
    public void perform(Part part) throws Exception {
        for (int i = 0; i < count; i++) {
            switch (part) {
                case HANDLER -> handlers.add(newHandler.call());
                case MAILBOX -> mailboxes.add(system.newMailbox());
                case PROCESSOR -> processors.add(system.newProcessor(mailboxes.get(i), handlers.get(i)));
                case THREAD -> actors.add(system.newActor(mailboxes.get(i), processors.get(i)));
                case REGISTRATION -> system.register(actors.get(i), processors.get(i));
                case START -> actors.get(i).start();
            }
        }
    }

    public List<? extends ActorRef<M>> actors() {
        return actors;
    }
}
