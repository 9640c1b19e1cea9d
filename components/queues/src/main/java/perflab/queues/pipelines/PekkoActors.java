package perflab.queues.pipelines;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * Apache Pekko: the implementation for Akka that the report asks for. An actor for each worker, told its words in turn; mailboxes and
 * dispatcher are the defaults, so nothing bounds the mailboxes. The actor system outlives the runs, as in a service.
 */
public final class PekkoActors implements Pipeline {

    private static final long STOP_LIMIT_S = 10;

    /** One run, told to the root actor, which starts the workers of it. */
    private record Start(
            int workers,
            Consumer<String> scorer,
            CountDownLatch ended,
            CountDownLatch started,
            List<ActorRef<String>> refs) {}

    private final ActorSystem<Start> system =
            ActorSystem.create(root(), "queues", ConfigFactory.load("perflab/queues/pipelines/pekko"));

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        Start start = new Start(
                shape.workers(), scorer, new CountDownLatch(shape.workers()), new CountDownLatch(1), new ArrayList<>());
        system.tell(start);
        start.started().await();
        try {
            for (int turn = 0; words.hasNext(); turn = (turn + 1) % shape.workers()) {
                start.refs().get(turn).tell(words.next());
            }
        } finally {
            start.refs().forEach(worker -> worker.tell(Take.END));
            start.ended().await();
        }
    }

    private static Behavior<Start> root() {
        return Behaviors.receive((context, start) -> {
            for (int i = 0; i < start.workers(); i++) {
                start.refs().add(context.spawnAnonymous(worker(start)));
            }
            start.started().countDown();
            return Behaviors.same();
        });
    }

    private static Behavior<String> worker(Start start) {
        return Behaviors.receiveMessage(word -> {
            if (word == Take.END) {
                start.ended().countDown();
                return Behaviors.stopped();
            }
            start.scorer().accept(word);
            return Behaviors.same();
        });
    }

    @Override
    public void close() {
        system.terminate();
        system.getWhenTerminated()
                .toCompletableFuture()
                .orTimeout(STOP_LIMIT_S, TimeUnit.SECONDS)
                .join();
    }
}
