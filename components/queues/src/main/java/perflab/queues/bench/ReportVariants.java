package perflab.queues.bench;

import java.util.List;
import java.util.function.Supplier;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.pipelines.ChunkedStreams;
import perflab.queues.pipelines.Conversant;
import perflab.queues.pipelines.DirectLoop;
import perflab.queues.pipelines.ForkJoin;
import perflab.queues.pipelines.JavaStreams;
import perflab.queues.pipelines.Jctools;
import perflab.queues.pipelines.JctoolsFair;
import perflab.queues.pipelines.Push;
import perflab.queues.pipelines.RxJavaParallel;
import perflab.queues.pipelines.kilim.KilimTasks;

/** What the report ranks. */
final class ReportVariants {

    private ReportVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                new Variant<>(
                        "direct",
                        Role.BEFORE,
                        "one thread that reads and scores: no queue",
                        core(DirectLoop.class),
                        new Design(Crew.ALONE, DirectLoop::new)),
                of(
                        "streams",
                        "a parallel stream over the source",
                        JavaStreams.class,
                        Crew.ALL_PROCESSORS,
                        JavaStreams::new),
                of(
                        "chunked-streams",
                        "a parallel stream for each chunk of 256 words (the report's Movie)",
                        ChunkedStreams.class,
                        Crew.ALL_PROCESSORS,
                        ChunkedStreams::new),
                of(
                        "forkjoin",
                        "ForkJoinPool, a task for each word",
                        ForkJoin.class,
                        Crew.ALL_PROCESSORS,
                        ForkJoin::new),
                queue("push", "Conversant PushPullBlockingQueue, one for each worker", Push.class, Push::new),
                queue("jctools", "JCTools SpscArrayQueue, one for each worker; spins", Jctools.class, Jctools::new),
                queue(
                        "jctools-fair",
                        "JCTools SpmcArrayQueue, shared by the workers; spins",
                        JctoolsFair.class,
                        JctoolsFair::new),
                queue(
                        "conversant",
                        "Conversant DisruptorBlockingQueue, shared by the workers; spins, then parks briefly",
                        Conversant.class,
                        Conversant::new),
                of(
                        "kilim",
                        "Kilim, woven in the build: a task and a mailbox for each worker",
                        KilimTasks.class,
                        Crew.ALL_PROCESSORS,
                        KilimTasks::new),
                new Variant<>(
                        "rxjava",
                        Role.AFTER,
                        "RxJava 3, Flowable.parallel with its own buffers",
                        core(RxJavaParallel.class),
                        new Design(Crew.ALL_PROCESSORS, RxJavaParallel::new)));
    }

    private static Variant<Design> queue(
            String name, String description, Class<?> source, Supplier<Pipeline> pipelines) {
        return of(name, description, source, Crew.BESIDE_THE_PRODUCER, pipelines);
    }

    private static Variant<Design> of(
            String name, String description, Class<?> source, Crew crew, Supplier<Pipeline> pipelines) {
        return Variants.of(name, Role.AFTER, description, source, crew, pipelines);
    }

    /** Of a class that Java 11 can load. */
    private static String core(Class<?> type) {
        return "core/src/main/java/" + type.getName().replace('.', '/') + ".java";
    }
}
