package perflab.mailbox.bench;

import static perflab.bench.Role.AFTER;
import static perflab.bench.Role.BEFORE;
import static perflab.bench.Role.LAB;
import static perflab.bench.Role.PEER;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.MpscPublishedMailbox;
import perflab.mailbox.MpscRepairedMailbox;
import perflab.mailbox.ResizableMailbox;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.actor.ThreadKind;
import perflab.mailbox.baseline.TaskThreads;
import perflab.mailbox.lab.UnboundedMailbox;
import perflab.mailbox.lab.WaitStrategy;
import perflab.mailbox.peer.AgronaMailbox;
import perflab.mailbox.peer.ChannelActors;
import perflab.mailbox.peer.DisruptorActors;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.JoxActors;
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

    /** The scenarios in which it matters how an actor waits. */
    private static final String[] WAITING = {"wakeup", "wakeup-burst", "burst"};

    private static final int WRAPPER_POOL = 8192;

    private static final AskStyle ACTORS = AskStyle.TEMPORARY_ACTOR;

    /** The variants of other roles ask by a promise: in {@code ask} they differ from these by more than the mailbox. */
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
                new Row(
                                "resizable",
                                BEFORE,
                                "an ArrayBlockingQueue that doubles from 64 to 10,000 under a monitor; "
                                        + "poll 100 ms, then yield"
                                        + ASKS)
                        .of(
                                ResizableMailbox.class,
                                Design.bounded(
                                        ResizableMailbox::new, ResizableMailbox::ofCapacity, POLL_100_MS, ACTORS)),
                new Row("linked", AFTER, "LinkedBlockingQueue(10,000); poll 1 ms" + ASKS)
                        .of(LinkedMailbox.class, linked(POLL_1_MS, ACTORS)),
                new Row(
                                "mpsc-published",
                                AFTER,
                                "JCTools MpscUnboundedArrayQueue(128) with the published wake-up, which is lost; "
                                        + "poll 1 ms"
                                        + ASKS)
                        .of(
                                MpscPublishedMailbox.class,
                                Design.unbounded(MpscPublishedMailbox::new, POLL_1_MS, ACTORS)));
    }

    /** Threads without actors, in the scenarios where that is an answer. */
    private static List<Variant<Design>> threads() {
        return List.of(peer("threads-virtual", "no actors: a virtual thread per task")
                .system(TaskThreads.class, capacity -> new TaskThreads())
                .in("single", "batch"));
    }

    private static List<Variant<Design>> peers() {
        return List.of(
                peer("jctools-blocking", "JCTools MpscBlockingConsumerArrayQueue(10,000); waits without timeout")
                        .bounded(
                                JctoolsBlockingMailbox.class, JctoolsBlockingMailbox::new, JctoolsBlockingMailbox::new),
                peer(
                                "agrona",
                                "Agrona ManyToOneConcurrentArrayQueue(10,000), bare; "
                                        + "the actor spins, yields, then parks for up to 1 ms")
                        .bounded(AgronaMailbox.class, AgronaMailbox::new, AgronaMailbox::new),
                peer("transfer-queue", "the JDK's LinkedTransferQueue; waits without timeout")
                        .unbounded(TransferMailbox.class, TransferMailbox::new),
                peer(
                                "disruptor",
                                "LMAX Disruptor(10,000), blocking; "
                                        + "an event handler on a platform thread for each actor")
                        .disruptor(DisruptorActors::new),
                peer("disruptor-yielding", "the same, yielding")
                        .disruptor(capacity -> new DisruptorActors(capacity, YieldingWaitStrategy::new))
                        .in(WAITING),
                peer("disruptor-spinning", "the same, busy spinning")
                        .disruptor(capacity -> new DisruptorActors(capacity, BusySpinWaitStrategy::new))
                        .in(WAITING),
                peer("pekko", "Apache Pekko typed actors, default mailbox and dispatcher")
                        .system(PekkoActors.class, capacity -> new PekkoActors()),
                peer("jox", "Jox: a virtual thread for each actor, over an unlimited Channel")
                        .system(JoxActors.class, capacity -> new JoxActors()),
                peer("kotlin-channel", "kotlinx.coroutines: a coroutine for each actor, over an unlimited Channel")
                        .coroutines(capacity -> new ChannelActors()));
    }

    /** The report's own library, as it can be downloaded today, on a JVM of its own: see {@code component.toml}. */
    private static List<Variant<Design>> cajun() {
        return List.of(
                peer(
                                "cajun",
                                "Cajun 0.7.0 as published, its defaults: a full mailbox drops messages silently; "
                                        + "logging off")
                        .cajun(Cajun.DEFAULT),
                peer(
                                "cajun-mpsc",
                                "Cajun 0.7.0 as published, its CPU_BOUND preset: "
                                        + "a platform thread, and wake-ups are lost")
                        .cajun(Cajun.CPU_BOUND),
                peer(
                                "cajun-logging",
                                "as cajun, with the log that it brings: two lines and a lasting logger for each actor")
                        .cajun(Cajun.LOGGING));
    }

    /** The report's future optimizations: {@code linked} and one change each, measured where that change matters. */
    private static List<Variant<Design>> techniques() {
        Design linked = linked(POLL_1_MS, AskStyle.PROMISE);
        return List.of(
                ours("linked-actor-pool", "linked, and actors are lent again instead of spawned")
                        .of(ActorPool.class, Design.ofSystem(conditions -> new ActorPool(linked.start(conditions))))
                        .in("single", "batch", "spawn"),
                ours("linked-batch-tell", "linked, and " + TELLS_AT_ONCE + " messages are told in one operation")
                        .of(
                                BatchEnvelopes.class,
                                Design.bounded(Variants::batching, Variants::batching, POLL_1_MS, AskStyle.PROMISE)
                                        .telling(TELLS_AT_ONCE))
                        .in("burst"),
                ours("linked-ask-promise", "linked, and a question carries the future of its answer")
                        .of(AskStyle.class, linked)
                        .in("ask"),
                ours("linked-ask-shared", "linked, and one actor receives all answers")
                        .of(AskStyle.class, linked(POLL_1_MS, AskStyle.SHARED_HANDLER))
                        .in("ask"),
                ours("linked-adaptive-poll", "linked, and polls that bring nothing double from 1 to 128 ms")
                        .of(PollLoop.class, linked(PollLoop.adaptive(1, 128), AskStyle.PROMISE))
                        .in("wakeup", "wakeup-burst", "idle", "throughput", "burst"),
                ours("linked-wrapped", "linked, and each message travels in a new wrapper")
                        .of(WrappedMailbox.class, wrapped(Wrappers::allocated))
                        .in("throughput", "burst"),
                ours(
                                "linked-wrapped-pooled",
                                "linked, and each message travels in a wrapper from a pool of " + WRAPPER_POOL)
                        .of(Wrappers.class, wrapped(() -> Wrappers.pooled(WRAPPER_POOL)))
                        .in("throughput", "burst"));
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
        return Design.unbounded(
                MailboxFactory.of(() -> new WrappedMailbox<>(new LinkedMailbox<>(), wrappers.get())),
                POLL_1_MS,
                AskStyle.PROMISE);
    }

    private static List<Variant<Design>> lab() {
        return List.of(
                ours(
                                "mpsc-repaired",
                                "JCTools MpscUnboundedArrayQueue(128) with a wake-up that is not lost; "
                                        + "waits without timeout")
                        .unbounded(MpscRepairedMailbox.class, MpscRepairedMailbox::new),
                ours(
                                "lab",
                                "fetch-and-add on chunks that grow from 8 to 1024, adaptive spin, then park; "
                                        + "waits without timeout")
                        .unbounded(UnboundedMailbox.class, UnboundedMailbox::new),
                waiting("lab-blocking", "lab that parks at once", WaitStrategy.BLOCKING),
                waiting("lab-yielding", "lab that never parks, and yields", WaitStrategy.YIELDING),
                waiting("lab-spinning", "lab that never parks, nor yields", WaitStrategy.SPINNING));
    }

    /** The lab's mailbox with a consumer that waits in another way, where how it waits is what is measured. */
    private static Variant<Design> waiting(String name, String description, WaitStrategy strategy) {
        MailboxFactory mailboxes = MailboxFactory.of(() -> new UnboundedMailbox<>(strategy));
        return ours(name, description).unbounded(WaitStrategy.class, mailboxes).in(WAITING);
    }

    private static Row peer(String name, String description) {
        return new Row(name, PEER, description);
    }

    private static Row ours(String name, String description) {
        return new Row(name, LAB, description);
    }

    private record Row(String name, Role role, String description) {

        Variant<Design> of(Class<?> source, Design design) {
            String folder = source.getPackage() == UnboundedMailbox.class.getPackage() ? "lab/" : "";
            return new Variant<>(name, role, description, folder + Variant.sourceOf(source), design);
        }

        /** Mailboxes without a bound, at which an actor waits without a timeout. */
        Variant<Design> unbounded(Class<?> source, MailboxFactory mailboxes) {
            return of(source, Design.unbounded(mailboxes, PollLoop.UNTIMED, AskStyle.PROMISE));
        }

        Variant<Design> bounded(Class<?> source, MailboxFactory.Bounded ofCapacity) {
            return bounded(source, ofCapacity.ofCapacity(Design.CAPACITY), ofCapacity);
        }

        Variant<Design> bounded(Class<?> source, MailboxFactory mailboxes, MailboxFactory.Bounded ofCapacity) {
            return of(source, Design.bounded(mailboxes, ofCapacity, PollLoop.UNTIMED, AskStyle.PROMISE));
        }

        Variant<Design> system(Class<?> source, IntFunction<ActorSystem> ofCapacity) {
            return system(source, ThreadKind.VIRTUAL, ofCapacity);
        }

        Variant<Design> disruptor(IntFunction<ActorSystem> ofCapacity) {
            return system(DisruptorActors.class, ThreadKind.PLATFORM, ofCapacity);
        }

        private Variant<Design> system(Class<?> source, ThreadKind threads, IntFunction<ActorSystem> ofCapacity) {
            return of(source, Design.ofSystem(name, threads, ofCapacity)).in(withActors());
        }

        Variant<Design> coroutines(IntFunction<ActorSystem> ofCapacity) {
            String source = "src/main/kotlin/perflab/mailbox/peer/ChannelActors.kt";
            Design design = Design.ofSystem(name, ThreadKind.VIRTUAL, ofCapacity);
            return new Variant<>(name, role, description, source, design).in(withActors());
        }

        Variant<Design> cajun(Cajun cajun) {
            return of(Cajun.class, Design.ofCajun(name, cajun)).in(withActors());
        }
    }

    private static String[] withActors() {
        return Scenarios.all().stream()
                .map(scenario -> scenario.spec().name())
                .filter(name -> !name.equals("offer-poll"))
                .toArray(String[]::new);
    }
}
