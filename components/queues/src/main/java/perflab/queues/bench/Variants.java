package perflab.queues.bench;

import static perflab.bench.Role.AFTER;
import static perflab.bench.Role.BEFORE;
import static perflab.bench.Role.LAB;
import static perflab.bench.Role.PEER;
import static perflab.queues.Crew.ALL_PROCESSORS;
import static perflab.queues.Crew.ALONE;
import static perflab.queues.Crew.BESIDE_THE_PRODUCER;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.lab.LabPipeline;
import perflab.queues.pipelines.Agrona;
import perflab.queues.pipelines.ChunkedStreams;
import perflab.queues.pipelines.Conversant;
import perflab.queues.pipelines.DirectLoop;
import perflab.queues.pipelines.ForkJoin;
import perflab.queues.pipelines.JavaStreams;
import perflab.queues.pipelines.Jctools;
import perflab.queues.pipelines.JctoolsFair;
import perflab.queues.pipelines.KotlinChannel;
import perflab.queues.pipelines.LabMailbox;
import perflab.queues.pipelines.LmaxDisruptor;
import perflab.queues.pipelines.PekkoActors;
import perflab.queues.pipelines.Push;
import perflab.queues.pipelines.Reactor;
import perflab.queues.pipelines.RxJavaBackpressure;
import perflab.queues.pipelines.RxJavaParallel;
import perflab.queues.pipelines.VirtualThreads;
import perflab.queues.pipelines.kilim.KilimTasks;

/** The implementations that are measured, in the order in which tables show them. */
final class Variants {

    private Variants() {}

    static List<Variant<Design>> all() {
        return Stream.of(report(), java11(), peers(), lab())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Variant<Design>> report() {
        return List.of(
                new Row("direct", BEFORE, "one thread that reads and scores: no queue")
                        .of("core/" + Variant.sourceOf(DirectLoop.class), ALONE, DirectLoop::new),
                after("streams", "a parallel stream over the source")
                        .of(JavaStreams.class, ALL_PROCESSORS, JavaStreams::new),
                after("chunked-streams", "a parallel stream for each chunk of 256 words")
                        .of(ChunkedStreams.class, ALL_PROCESSORS, ChunkedStreams::new),
                after("forkjoin", "ForkJoinPool, a task for each word; the caller helps where too many are under way")
                        .of(ForkJoin.class, ALL_PROCESSORS, ForkJoin::new),
                after("push", "Conversant PushPullBlockingQueue, one for each worker; workers spin")
                        .of(Push.class, BESIDE_THE_PRODUCER, Push::new),
                after("jctools", "JCTools SpscArrayQueue, one for each worker; spins")
                        .of(Jctools.class, BESIDE_THE_PRODUCER, Jctools::new),
                after("jctools-fair", "JCTools SpmcArrayQueue, shared by the workers; spins")
                        .of(JctoolsFair.class, BESIDE_THE_PRODUCER, JctoolsFair::new),
                after("conversant", "Conversant DisruptorBlockingQueue, shared by the workers, which spin")
                        .of(Conversant.class, BESIDE_THE_PRODUCER, Conversant::new),
                after("kilim", "Kilim, woven in the build: a task and a mailbox for each worker, and a task that deals")
                        .of(KilimTasks.class, ALL_PROCESSORS, KilimTasks::new),
                after("rxjava", "RxJava 3, Flowable.parallel with its own buffers")
                        .of("core/" + Variant.sourceOf(RxJavaParallel.class), ALL_PROCESSORS, RxJavaParallel::new));
    }

    /**
     * What runs on Java 11 alone, by the program of {@code quasar/}: this one lists it, and cannot load it. {@code
     * component.toml} names the runtime.
     */
    private static List<Variant<Design>> java11() {
        return List.of(
                after("quasar", "Quasar on Java 11: a fiber and a channel for each worker")
                        .onJava11("QuasarFibers"),
                after("quasar-fair", "Quasar on Java 11: a channel shared by the fibers")
                        .onJava11("QuasarFibers"),
                after("rxjava-jre11", "as rxjava, on Java 11: to compare with rxjava-agent")
                        .onJava11("Java11Variant")
                        .in("fast"),
                after("rxjava-agent", "as rxjava-jre11, with Quasar's agent in the JVM")
                        .onJava11("Java11Variant")
                        .in("fast"));
    }

    /** What the report asks for and nobody built, and what a user of today would pick. */
    private static List<Variant<Design>> peers() {
        return List.of(
                peer("pekko", "Apache Pekko (the Akka that the report asks for), an actor for each worker")
                        .of(PekkoActors.class, ALL_PROCESSORS, PekkoActors::new),
                peer("rxjava-backpressure", "RxJava 3, one thread that scores, and a bounded buffer")
                        .of(RxJavaBackpressure.class, ALONE, RxJavaBackpressure::new),
                peer("reactor", "Reactor, ParallelFlux with bounded buffers")
                        .of(Reactor.class, ALL_PROCESSORS, Reactor::new),
                peer("kotlin-channel", "kotlinx.coroutines, a bounded Channel shared by coroutines")
                        .of(
                                "src/main/kotlin/perflab/queues/pipelines/KotlinChannel.kt",
                                ALL_PROCESSORS,
                                KotlinChannel::new),
                peer("virtual-threads", "the JDK's ArrayBlockingQueue, shared by virtual threads")
                        .of(VirtualThreads.class, BESIDE_THE_PRODUCER, VirtualThreads::new),
                peer("disruptor", "LMAX Disruptor, blocking, a handler for each worker")
                        .of(LmaxDisruptor.class, BESIDE_THE_PRODUCER, LmaxDisruptor::new),
                peer("agrona", "Agrona ManyToManyConcurrentArrayQueue, shared by the workers; idles by backing off")
                        .of(Agrona.class, BESIDE_THE_PRODUCER, Agrona::new));
    }

    private static List<Variant<Design>> lab() {
        return List.of(
                ours(
                                "mailbox",
                                "the lab's bounded mailbox, one for each worker; "
                                        + "spins if that has paid off of late, then parks")
                        .of(LabMailbox.class, BESIDE_THE_PRODUCER, LabMailbox::new),
                ours("lab", "no queue: workers take turns at the source")
                        .of(LabPipeline.class, ALL_PROCESSORS, LabPipeline::new));
    }

    private static Row after(String name, String description) {
        return new Row(name, AFTER, description);
    }

    private static Row peer(String name, String description) {
        return new Row(name, PEER, description);
    }

    private static Row ours(String name, String description) {
        return new Row(name, LAB, description);
    }

    private record Row(String name, Role role, String description) {

        Variant<Design> of(Class<?> source, Crew crew, Supplier<Pipeline> pipelines) {
            return of(Variant.sourceOf(source), crew, pipelines);
        }

        Variant<Design> of(String source, Crew crew, Supplier<Pipeline> pipelines) {
            return new Variant<>(name, role, description, source, new Design(crew, pipelines));
        }

        Variant<Design> onJava11(String source) {
            return new Variant<>(
                    name,
                    role,
                    description,
                    "quasar/src/main/java/perflab/queues/quasar/" + source + ".java",
                    Design.elsewhere(
                            ALL_PROCESSORS,
                            "Quasar 0.8.0 and its agent run on Java 11 alone; ./lab measure fetches and starts one"));
        }
    }
}
