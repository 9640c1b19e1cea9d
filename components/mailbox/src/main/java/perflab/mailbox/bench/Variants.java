package perflab.mailbox.bench;

import static perflab.bench.Role.AFTER;
import static perflab.bench.Role.BEFORE;
import static perflab.bench.Role.LAB;
import static perflab.bench.Role.PEER;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import kotlinx.coroutines.channels.Channel;
import perflab.bench.Role;
import perflab.bench.Scenario;
import perflab.bench.Variant;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.MpscPublishedMailbox;
import perflab.mailbox.MpscRepairedMailbox;
import perflab.mailbox.MpscXaddMailbox;
import perflab.mailbox.ResizableMailbox;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.baseline.TaskThreads;
import perflab.mailbox.lab.BoundedMailbox;
import perflab.mailbox.lab.UnboundedMailbox;
import perflab.mailbox.peer.BareQueues;
import perflab.mailbox.peer.ChannelActors;
import perflab.mailbox.peer.DisruptorActors;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.PekkoActors;
import perflab.mailbox.peer.TransferMailbox;
import perflab.mailbox.peer.cajun.Cajun;
import perflab.mailbox.technique.ActorPool;
import perflab.mailbox.technique.BatchEnvelopes;
import perflab.mailbox.technique.WrappedMailbox;
import perflab.mailbox.technique.Wrappers;

/** The implementations that are measured, in the order in which tables show them. */
final class Variants {

    private static final PollLoop POLL_100_MS = new PollLoop(100, true);
    private static final PollLoop POLL_1_MS = new PollLoop(1, false);

    private static final int TELLS_AT_ONCE = 32;
    private static final int WRAPPER_POOL = 8192;

    /** The variants of other roles ask by a promise, so in {@code ask} they differ from these by more than the mailbox. */
    private static final String ASKS = "; an actor for each question";

    private Variants() {}

    static List<Variant<Design>> all() {
        return Stream.of(upstream(), threads(), peers(), cajun(), techniques(), lab())
                .flatMap(List::stream)
                .toList();
    }

    /** What the report describes: Cajun before and after. */
    private static List<Variant<Design>> upstream() {
        return List.of(
                variant(
                        "resizable",
                        BEFORE,
                        "an ArrayBlockingQueue that doubles from 64 to 10,000 under a monitor; poll 100 ms, then yield"
                                + ASKS,
                        ResizableMailbox.class,
                        Design.bounded(
                                ResizableMailbox::new,
                                ResizableMailbox::ofCapacity,
                                POLL_100_MS,
                                AskStyle.TEMPORARY_ACTOR)),
                variant(
                        "linked",
                        AFTER,
                        "LinkedBlockingQueue(10,000); poll 1 ms" + ASKS,
                        LinkedMailbox.class,
                        linked(POLL_1_MS, AskStyle.TEMPORARY_ACTOR)),
                variant(
                        "mpsc-published",
                        AFTER,
                        "JCTools MpscUnboundedArrayQueue(128) with the published wake-up, which is lost; poll 1 ms"
                                + ASKS,
                        MpscPublishedMailbox.class,
                        Design.unbounded(MpscPublishedMailbox::new, POLL_1_MS, AskStyle.TEMPORARY_ACTOR)));
    }

    /** Threads without actors, in the scenarios where that is an answer. */
    private static List<Variant<Design>> threads() {
        return List.of(
                threads("threads-virtual", "no actors: a virtual thread per task", TaskThreads::virtual),
                threads("threads-platform", "no actors: a platform thread per task", TaskThreads::platform),
                threads("threads-pool", "no actors: a thread per processor, and a queue", TaskThreads::pool));
    }

    private static Variant<Design> threads(String name, String description, Supplier<TaskThreads> threads) {
        return variant(name, PEER, description, TaskThreads.class, Design.ofSystem(name, capacity -> threads.get()))
                .in(List.of("single", "batch", "pooled"));
    }

    /** What a user would pick instead. */
    static List<Variant<Design>> peers() {
        return List.of(
                array(
                        "jctools-blocking",
                        "JCTools MpscBlockingConsumerArrayQueue(10,000); waits without timeout",
                        JctoolsBlockingMailbox.class,
                        JctoolsBlockingMailbox::new,
                        JctoolsBlockingMailbox::new),
                untimed(
                        "jctools-mpsc",
                        PEER,
                        "JCTools MpscUnboundedArrayQueue(128), bare; the actor spins, yields, then parks for up to 1 ms",
                        BareQueues.class,
                        BareQueues::jctoolsMpsc),
                untimed(
                        "jctools-xadd",
                        PEER,
                        "JCTools MpscUnboundedXaddArrayQueue(1024), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsXadd),
                array(
                        "jctools-array",
                        "JCTools MpscArrayQueue(10,000), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsArray,
                        BareQueues::jctoolsArray),
                array(
                        "agrona",
                        "Agrona ManyToOneConcurrentArrayQueue(10,000); idles in the same way",
                        BareQueues.class,
                        BareQueues::agrona,
                        BareQueues::agrona),
                untimed(
                        "transfer-queue",
                        PEER,
                        "the JDK's LinkedTransferQueue; waits without timeout",
                        TransferMailbox.class,
                        TransferMailbox::new),
                // A ring's slots are objects, made beforehand: 4 GB for the actors of `live`.
                system(
                                "disruptor",
                                "LMAX Disruptor(10,000), blocking; an event handler on a platform thread for each actor",
                                Variant.sourceOf(DisruptorActors.class),
                                DisruptorActors::new)
                        .in(allBut("offer-poll", "live")),
                system(
                        "pekko",
                        "Apache Pekko typed actors, default mailbox and dispatcher",
                        Variant.sourceOf(PekkoActors.class),
                        capacity -> PekkoActors.unbounded()),
                system(
                        "pekko-bounded",
                        "Apache Pekko typed actors, BoundedMailbox(10,000): a sender waits for room",
                        Variant.sourceOf(PekkoActors.class),
                        PekkoActors::bounded),
                system(
                        "kotlin-channel",
                        "kotlinx.coroutines: a coroutine for each actor, over an unlimited Channel",
                        "src/main/kotlin/perflab/mailbox/peer/ChannelActors.kt",
                        capacity -> new ChannelActors(Channel.UNLIMITED)),
                system(
                        "kotlin-channel-bounded",
                        "kotlinx.coroutines: a coroutine for each actor, over a Channel(10,000)",
                        "src/main/kotlin/perflab/mailbox/peer/ChannelActors.kt",
                        ChannelActors::new));
    }

    private static Variant<Design> system(
            String name, String description, String source, IntFunction<ActorSystem> ofCapacity) {
        Design design = Design.ofSystem(name, ofCapacity);
        return new Variant<>(name, PEER, description, source, design, allBut("offer-poll"));
    }

    /** One array of all its slots for each actor: the 10,000 actors of {@code live} would take 650 MB. */
    private static Variant<Design> array(
            String name,
            String description,
            Class<?> source,
            MailboxFactory mailboxes,
            MailboxFactory.Bounded ofCapacity) {
        Design design = Design.bounded(mailboxes, ofCapacity, PollLoop.UNTIMED, AskStyle.PROMISE);
        return variant(name, PEER, description, source, design).in(allBut("live"));
    }

    /** The report's own library, as it can be downloaded today, on a JVM of its own: see {@code component.toml}. */
    private static List<Variant<Design>> cajun() {
        return List.of(
                cajun(
                        "cajun",
                        "Cajun 0.7.0 as published, its defaults: a full mailbox drops messages silently; logging off",
                        Cajun.DEFAULT),
                // A platform thread for each actor, which polls a thousand times a second: ten thousand never come up.
                cajun(
                                "cajun-mpsc",
                                "Cajun 0.7.0 as published, its CPU_BOUND preset: a platform thread, and wake-ups are lost",
                                Cajun.CPU_BOUND)
                        .in(allBut("offer-poll", "live")),
                cajun(
                        "cajun-logging",
                        "as cajun, with the log that it brings: two lines and a lasting logger for each actor",
                        Cajun.LOGGING));
    }

    private static Variant<Design> cajun(String name, String description, Cajun cajun) {
        return variant(name, PEER, description, Cajun.class, Design.ofCajun(name, cajun))
                .in(allBut("offer-poll"));
    }

    /** The report's future optimizations. Each is {@code linked} and one change, and is measured where that change matters. */
    private static List<Variant<Design>> techniques() {
        Design linked = linked(POLL_1_MS, AskStyle.PROMISE);
        return List.of(
                variant(
                                "linked-actor-pool",
                                LAB,
                                "linked, and actors are lent again instead of spawned",
                                ActorPool.class,
                                Design.ofSystem(conditions -> new ActorPool(linked.start(conditions))))
                        .in(List.of("single", "batch", "spawn")),
                variant(
                                "linked-batch-tell",
                                LAB,
                                "linked, and " + TELLS_AT_ONCE + " messages are told in one operation",
                                BatchEnvelopes.class,
                                Design.bounded(Variants::batching, Variants::batching, POLL_1_MS, AskStyle.PROMISE)
                                        .telling(TELLS_AT_ONCE))
                        .in(List.of("burst")),
                variant(
                                "linked-ask-promise",
                                LAB,
                                "linked, and a question carries the future of its answer",
                                AskStyle.class,
                                linked)
                        .in(List.of("ask")),
                variant(
                                "linked-ask-shared",
                                LAB,
                                "linked, and one actor receives all answers",
                                AskStyle.class,
                                linked(POLL_1_MS, AskStyle.SHARED_HANDLER))
                        .in(List.of("ask")),
                variant(
                                "linked-adaptive-poll",
                                LAB,
                                "linked, and polls that bring nothing double from 1 to 128 ms",
                                PollLoop.class,
                                linked(PollLoop.adaptive(1, 128), AskStyle.PROMISE))
                        .in(List.of("wakeup", "wakeup-burst", "idle", "throughput", "burst")),
                variant(
                                "linked-wrapped",
                                LAB,
                                "linked, and each message travels in a new wrapper",
                                WrappedMailbox.class,
                                wrapped(Wrappers::allocated))
                        .in(List.of("throughput", "burst")),
                variant(
                                "linked-wrapped-pooled",
                                LAB,
                                "linked, and each message travels in a wrapper from a pool of " + WRAPPER_POOL,
                                Wrappers.class,
                                wrapped(() -> Wrappers.pooled(WRAPPER_POOL)))
                        .in(List.of("throughput", "burst")));
    }

    private static Design linked(PollLoop loop, AskStyle asks) {
        return Design.bounded(LinkedMailbox::new, LinkedMailbox::new, loop, asks);
    }

    private static <E> Mailbox<E> batching() {
        return new BatchEnvelopes<>(new LinkedMailbox<>());
    }

    private static <E> Mailbox<E> batching(int capacity) {
        return new BatchEnvelopes<>(new LinkedMailbox<>(capacity));
    }

    private static Design wrapped(Supplier<Wrappers> wrappers) {
        MailboxFactory mailboxes = new MailboxFactory() {
            @Override
            public <E> Mailbox<E> create() {
                return new WrappedMailbox<>(new LinkedMailbox<>(), wrappers.get());
            }
        };
        return Design.unbounded(mailboxes, POLL_1_MS, AskStyle.PROMISE);
    }

    /** This project's own: the repair, and what goes beyond it. */
    private static List<Variant<Design>> lab() {
        return List.of(
                untimed(
                        "mpsc-repaired",
                        LAB,
                        "JCTools MpscUnboundedArrayQueue(128) with a wake-up that is not lost; waits without timeout",
                        MpscRepairedMailbox.class,
                        MpscRepairedMailbox::new),
                untimed(
                        "mpsc-xadd",
                        LAB,
                        "JCTools MpscUnboundedXaddArrayQueue(1024) with the repaired wake-up; waits without timeout",
                        MpscXaddMailbox.class,
                        MpscXaddMailbox::new),
                untimed(
                        "lab",
                        LAB,
                        "fetch-and-add on chunks that grow from 8 to 1024, adaptive spin, then park; waits without timeout",
                        UnboundedMailbox.class,
                        UnboundedMailbox::new),
                variant(
                        "lab-bounded",
                        LAB,
                        "the same, 10,000 messages at most; waits without timeout",
                        BoundedMailbox.class,
                        Design.bounded(BoundedMailbox::new, BoundedMailbox::new, PollLoop.UNTIMED, AskStyle.PROMISE)));
    }

    /** Without a bound, and the actor waits without a timeout. */
    private static Variant<Design> untimed(
            String name, Role role, String description, Class<?> source, MailboxFactory mailboxes) {
        Design design = Design.unbounded(mailboxes, PollLoop.UNTIMED, AskStyle.PROMISE);
        return variant(name, role, description, source, design);
    }

    private static Variant<Design> variant(String name, Role role, String description, Class<?> source, Design design) {
        return new Variant<>(name, role, description, Variant.sourceOf(source), design);
    }

    /** The names of the scenarios that a variant supports which cannot do all. */
    private static List<String> allBut(String... excluded) {
        return Scenarios.all().stream()
                .map(Scenario::spec)
                .map(spec -> spec.name())
                .filter(name -> !List.of(excluded).contains(name))
                .toList();
    }
}
