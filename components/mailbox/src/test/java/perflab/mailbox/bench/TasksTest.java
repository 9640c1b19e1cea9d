package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import perflab.bench.Bench;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.Asker;

/** In which order a batch creates its actors, deals its tasks and ends the actors. */
class TasksTest {

    private final List<String> noted = new ArrayList<>();

    /** Handles each message in its tell, and notes what is done to it. */
    private final class NotingSystem implements ActorSystem {

        @Override
        public <M> ActorRef<M> spawn(Consumer<? super M> handler) {
            noted.add("spawn");
            return new NotingActor<>(handler);
        }

        @Override
        public <Q, A> Asker<Q, A> spawnAnswering(Function<? super Q, ? extends A> answer) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            noted.add("end");
        }
    }

    private final class NotingActor<M> implements ActorRef<M> {

        private final Consumer<? super M> handler;

        NotingActor(Consumer<? super M> handler) {
            this.handler = handler;
        }

        @Override
        public boolean tell(M message) {
            noted.add("tell");
            handler.accept(message);
            return true;
        }

        @Override
        public boolean isAlive() {
            return true;
        }

        @Override
        public void stop() {
            noted.add("stop");
        }

        @Override
        public void close() {
            noted.add("close");
        }
    }

    private void run(String... params) {
        Bench<Design> bench = Bench.of("mailbox");
        Scenarios.all().forEach(bench::scenario);
        bench.variant(new Variant<>("noting", Role.PEER, "", "", Design.ofSystem(conditions -> new NotingSystem())));
        String[] args = Stream.concat(
                        Stream.of("run", "--scenario", "batch", "--variant", "noting"),
                        Stream.of(params).flatMap(param -> Stream.of("--param", param)))
                .toArray(String[]::new);
        String[] briefly = {"--warmup-ms", "0", "--sample-ms", "1", "--samples", "2"};
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        assertEquals(0, bench.run(Stream.of(args, briefly).flatMap(Stream::of).toArray(String[]::new), nowhere));
    }

    @Test
    void anActorHasItsTaskBeforeTheNextIsSpawnedAndIsWaitedForInTheEnd() {
        run("created=inside", "tasks=3", "actors=2");
        List<String> batch = List.of("spawn", "tell", "spawn", "tell", "tell", "close", "close");
        assertEquals(batch, noted.subList(0, batch.size()));
        assertEquals("spawn", noted.get(batch.size()), "the next batch has its own");
    }

    @Test
    void actorsThatLastAreSpawnedOnce() {
        run("created=before", "tasks=3", "actors=2");
        assertEquals(List.of("spawn", "spawn", "tell", "tell", "tell", "tell"), noted.subList(0, 6));
    }
}
