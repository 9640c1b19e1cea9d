package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.technique.ActorPool;
import perflab.mailbox.technique.BatchEnvelopes;
import perflab.mailbox.technique.WrappedMailbox;
import perflab.mailbox.technique.Wrappers;

/** The report's future optimizations. Each is {@code linked} and one change, and is measured where that change matters. */
final class TechniqueVariants {

    private static final int TELLS_AT_ONCE = 32;
    private static final int WRAPPER_POOL = 8192;
    private static final PollLoop AFTER = new PollLoop(1, false);
    private static final PollLoop ADAPTIVE = PollLoop.adaptive(1, 128);

    private TechniqueVariants() {}

    static List<Variant<Design>> all() {
        MailboxDesign linked = MailboxDesign.bounded(LinkedMailbox::new, LinkedMailbox::new, AFTER);
        return List.of(
                technique(
                        "linked-actor-pool",
                        "linked, and actors are lent again instead of spawned",
                        ActorPool.class,
                        conditions -> new ActorPool(linked.start(conditions)),
                        "single",
                        "batch",
                        "spawn"),
                technique(
                        "linked-batch-tell",
                        "linked, and " + TELLS_AT_ONCE + " messages are told in one operation",
                        BatchEnvelopes.class,
                        MailboxDesign.bounded(TechniqueVariants::batching, TechniqueVariants::batching, AFTER)
                                .telling(TELLS_AT_ONCE),
                        "burst"),
                technique(
                        "linked-ask-promise",
                        "linked, and a question carries the future of its answer",
                        AskStyle.class,
                        linked.asking(AskStyle.PROMISE),
                        "ask"),
                technique(
                        "linked-ask-shared",
                        "linked, and one actor receives all answers",
                        AskStyle.class,
                        linked.asking(AskStyle.SHARED_HANDLER),
                        "ask"),
                technique(
                        "linked-adaptive-poll",
                        "linked, and polls that bring nothing double from 1 to 128 ms",
                        PollLoop.class,
                        MailboxDesign.bounded(LinkedMailbox::new, LinkedMailbox::new, ADAPTIVE),
                        "wakeup",
                        "wakeup-burst",
                        "idle",
                        "throughput",
                        "burst"),
                technique(
                        "linked-wrapped",
                        "linked, and each message travels in a new wrapper",
                        WrappedMailbox.class,
                        wrapped(false),
                        "throughput",
                        "burst"),
                technique(
                        "linked-wrapped-pooled",
                        "linked, and each message travels in a wrapper from a pool of " + WRAPPER_POOL,
                        Wrappers.class,
                        wrapped(true),
                        "throughput",
                        "burst"));
    }

    private static Variant<Design> technique(
            String name, String description, Class<?> source, Design design, String... scenarios) {
        return new Variant<>(name, Role.LAB, description, Variants.source(source), design, List.of(scenarios));
    }

    private static <E> Mailbox<E> batching() {
        return new BatchEnvelopes<>(new LinkedMailbox<>());
    }

    private static <E> Mailbox<E> batching(int capacity) {
        return new BatchEnvelopes<>(new LinkedMailbox<>(capacity));
    }

    private static MailboxDesign wrapped(boolean pooled) {
        MailboxFactory mailboxes = new MailboxFactory() {
            @Override
            public <E> Mailbox<E> create() {
                return new WrappedMailbox<>(
                        new LinkedMailbox<>(), pooled ? Wrappers.pooled(WRAPPER_POOL) : Wrappers.allocated());
            }
        };
        return MailboxDesign.unbounded(mailboxes, AFTER);
    }
}
