package perflab.mailbox.bench;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import perflab.bench.UsageException;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.MailboxActors;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.actor.ThreadKind;
import perflab.mailbox.peer.cajun.Cajun;

/**
 * What a variant hands to the scenarios.
 *
 * @param system starts a system; throws a {@link UsageException} if that cannot meet the conditions, and a
 *     {@link perflab.bench.MissingException} if it needs what this machine or this JVM does not have
 * @param mailboxes its mailboxes alone; empty for a system that keeps them to itself
 */
record Design(Function<Conditions, ActorSystem> system, Optional<MailboxFactory> mailboxes, int tellsAtOnce) {

    /** A plug-in's actor wakes up once a second: as good as never, and yet a lost wake-up does not hang the run. */
    private static final PollLoop PLUG_IN_LOOP = new PollLoop(1_000, false);

    static final int CAPACITY = 10_000;

    static Design unbounded(MailboxFactory mailboxes, PollLoop loop, AskStyle asks) {
        return new Design(conditions -> actors(mailboxes, loop, asks, conditions), Optional.of(mailboxes), 1);
    }

    /** Mailboxes with a bound: the factory's own, and the one that a run asks for. */
    static Design bounded(MailboxFactory mailboxes, MailboxFactory.Bounded ofCapacity, PollLoop loop, AskStyle asks) {
        Function<Conditions, ActorSystem> system = conditions -> actors(
                conditions.capacity() == 0 ? mailboxes : ofCapacity.ofCapacity(conditions.capacity()),
                loop,
                asks,
                conditions);
        return new Design(system, Optional.of(mailboxes), 1);
    }

    private static ActorSystem actors(MailboxFactory mailboxes, PollLoop loop, AskStyle asks, Conditions conditions) {
        return new MailboxActors(mailboxes, conditions.applyTo(loop), conditions.threads(), asks);
    }

    static Design pluggedIn(Supplier<Mailbox<?>> instances) {
        return unbounded(MailboxFactory.of(instances), PLUG_IN_LOOP, AskStyle.PROMISE);
    }

    /**
     * A library's actors on threads, loops and mailboxes of its own.
     *
     * @param threads what each of its actors has one of; virtual also if they share a pool
     * @param ofCapacity starts a system; one without a bound takes no notice of the capacity
     */
    static Design ofSystem(String variant, ThreadKind threads, IntFunction<ActorSystem> ofCapacity) {
        return ofSystem(conditions -> {
            conditions.requireOwnLoop(variant, threads);
            return ofCapacity.apply(conditions.capacity() == 0 ? CAPACITY : conditions.capacity());
        });
    }

    /** Cajun as it comes: neither its loop nor the bound of its mailboxes can be changed by a run. */
    static Design ofCajun(String variant, Cajun cajun) {
        return ofSystem(conditions -> {
            conditions.requireOwnLoop(variant, ThreadKind.VIRTUAL);
            if (conditions.capacity() != 0) {
                throw new UsageException(
                        "variant '" + variant + "' has mailboxes of its own bound", List.of("the default of capacity"));
            }
            return cajun.start();
        });
    }

    static Design ofSystem(Function<Conditions, ActorSystem> system) {
        return new Design(system, Optional.empty(), 1);
    }

    Design telling(int atOnce) {
        return new Design(system, mailboxes, atOnce);
    }

    ActorSystem start(Conditions conditions) {
        return system.apply(conditions);
    }
}
