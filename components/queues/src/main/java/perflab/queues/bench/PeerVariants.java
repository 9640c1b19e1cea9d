package perflab.queues.bench;

import java.util.List;
import java.util.function.Supplier;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.pipelines.Agrona;
import perflab.queues.pipelines.KotlinChannel;
import perflab.queues.pipelines.LmaxDisruptor;
import perflab.queues.pipelines.PekkoActors;
import perflab.queues.pipelines.Reactor;
import perflab.queues.pipelines.RxJavaBackpressure;
import perflab.queues.pipelines.VirtualThreads;

/** What the report asks for and nobody built, and what a user of today would pick. */
final class PeerVariants {

    private PeerVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                of(
                        "pekko",
                        "Apache Pekko (the Akka that the report asks for), an actor for each worker",
                        PekkoActors.class,
                        Crew.ALL_PROCESSORS,
                        PekkoActors::new),
                of(
                        "rxjava-backpressure",
                        "RxJava 3, one thread that scores, and a bounded buffer",
                        RxJavaBackpressure.class,
                        Crew.ALONE,
                        RxJavaBackpressure::new),
                of(
                        "reactor",
                        "Reactor, ParallelFlux with bounded buffers",
                        Reactor.class,
                        Crew.ALL_PROCESSORS,
                        Reactor::new),
                new Variant<>(
                        "kotlin-channel",
                        Role.PEER,
                        "kotlinx.coroutines, a bounded Channel shared by coroutines",
                        "src/main/kotlin/perflab/queues/pipelines/KotlinChannel.kt",
                        new Design(Crew.ALL_PROCESSORS, KotlinChannel::new)),
                of(
                        "virtual-threads",
                        "the JDK's ArrayBlockingQueue, shared by virtual threads",
                        VirtualThreads.class,
                        Crew.BESIDE_THE_PRODUCER,
                        VirtualThreads::new),
                of(
                        "disruptor",
                        "LMAX Disruptor, blocking, a handler for each worker",
                        LmaxDisruptor.class,
                        Crew.BESIDE_THE_PRODUCER,
                        LmaxDisruptor::new),
                of(
                        "agrona",
                        "Agrona ManyToManyConcurrentArrayQueue, shared by the workers; idles by backing off",
                        Agrona.class,
                        Crew.BESIDE_THE_PRODUCER,
                        Agrona::new));
    }

    private static Variant<Design> of(
            String name, String description, Class<?> source, Crew crew, Supplier<Pipeline> pipelines) {
        return Variants.of(name, Role.PEER, description, source, crew, pipelines);
    }
}
