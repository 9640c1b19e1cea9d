package perflab.mailbox.bench;

import java.util.Optional;
import java.util.function.Supplier;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.MailboxActors;
import perflab.mailbox.actor.PollLoop;

/**
 * A mailbox, how its actor waits at it, and how it is asked.
 *
 * @param factory makes the mailboxes
 * @param bounded makes them with another bound; empty if they have none
 * @param loop how the actor waits
 * @param askStyle how answers come back
 * @param tellsAtOnce how many messages a sender tells in one operation
 */
record MailboxDesign(
        MailboxFactory factory,
        Optional<MailboxFactory.Bounded> bounded,
        PollLoop loop,
        AskStyle askStyle,
        int tellsAtOnce)
        implements Design {

    /** A plug-in's actor wakes up once a second: as good as never, and yet a lost wake-up does not hang the run. */
    private static final PollLoop PLUG_IN_LOOP = new PollLoop(1_000, false);

    /** Mailboxes whose only bound is memory. */
    static MailboxDesign unbounded(MailboxFactory mailboxes, PollLoop loop) {
        return new MailboxDesign(mailboxes, Optional.empty(), loop, AskStyle.PROMISE, 1);
    }

    /** Mailboxes with a bound: the factory's own, and the one that a run asks for. */
    static MailboxDesign bounded(MailboxFactory mailboxes, MailboxFactory.Bounded bounded, PollLoop loop) {
        return new MailboxDesign(mailboxes, Optional.of(bounded), loop, AskStyle.PROMISE, 1);
    }

    /** The design around a reader's own mailbox. */
    static MailboxDesign pluggedIn(Supplier<Mailbox<?>> instances) {
        return unbounded(
                new MailboxFactory() {
                    @Override
                    @SuppressWarnings("unchecked") // a fresh mailbox holds no message yet, so it is one of any type
                    public <E> Mailbox<E> create() {
                        return (Mailbox<E>) instances.get();
                    }
                },
                PLUG_IN_LOOP);
    }

    MailboxDesign asking(AskStyle other) {
        return new MailboxDesign(factory, bounded, loop, other, tellsAtOnce);
    }

    MailboxDesign telling(int atOnce) {
        return new MailboxDesign(factory, bounded, loop, askStyle, atOnce);
    }

    @Override
    public ActorSystem start(Conditions conditions) {
        return new MailboxActors(mailboxes(conditions), conditions.applyTo(loop), conditions.threads(), askStyle);
    }

    private MailboxFactory mailboxes(Conditions conditions) {
        return bounded.isPresent() && conditions.capacity().isPresent()
                ? bounded.get().ofCapacity(conditions.capacity().getAsInt())
                : factory;
    }

    @Override
    public Optional<MailboxFactory> mailboxes() {
        return Optional.of(factory);
    }
}
