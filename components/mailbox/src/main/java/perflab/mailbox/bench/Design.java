package perflab.mailbox.bench;

import java.util.function.Consumer;
import java.util.function.Supplier;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.Actor;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.actor.ThreadKind;

/**
 * What a variant fixes: the mailbox, and how its actor waits at it.
 *
 * @param mailboxes makes the mailboxes
 * @param loop how the actor waits
 */
public record Design(MailboxFactory mailboxes, PollLoop loop) {

    /** A plug-in's actor wakes up once a second: as good as never, and yet a lost wake-up does not hang the run. */
    private static final PollLoop PLUG_IN_LOOP = new PollLoop(1_000, false);

    /** The design around a reader's own mailbox. */
    static Design pluggedIn(Supplier<Mailbox<?>> instances) {
        return new Design(
                new MailboxFactory() {
                    @Override
                    @SuppressWarnings("unchecked") // a fresh mailbox holds no message yet, so it is one of any type
                    public <E> Mailbox<E> create() {
                        return (Mailbox<E>) instances.get();
                    }
                },
                PLUG_IN_LOOP);
    }

    /** Starts an actor of this design; a poll timeout of zero is the design's own. */
    <E> Actor<E> start(long pollMs, ThreadKind kind, Consumer<? super E> handler) {
        return Actor.start(mailboxes.<E>create(), loop.withTimeoutMs(pollMs), kind, handler);
    }
}
