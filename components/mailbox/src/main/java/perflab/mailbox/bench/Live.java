package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import perflab.bench.Experiment;
import perflab.bench.ProcessUsage;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * Memory: spawns many actors, has each handle a message, and weighs them while they wait for the next. The time is that
 * of spawning and first messages; collecting and weighing are not in it.
 *
 * <p>What they take of the whole process is the growth of the live heap and that of the resident set. The two do not
 * overlap, because the heap is of a fixed size and touched beforehand ({@code component.toml}): all of it is resident
 * before the first actor, and what the resident set grows by is outside it, as the stacks of platform threads are. What
 * the JVM has kept of an earlier repetition's native memory is not counted again.
 */
record Live(Design design, Setting setting) implements Experiment {

    private static final long LIMIT_S = 90;

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        int count = setting.parameters().getInt("actors");
        List<ActorRef<CountDownLatch>> actors = new ArrayList<>(count);
        long heapBefore = ProcessUsage.heapBytesAfterCollection();
        long residentBefore = ProcessUsage.residentBytes();
        ActorSystem system = design.start(Conditions.of(setting.parameters()));
        CountDownLatch handled = new CountDownLatch(count);
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++) {
            actors.add(system.spawn(CountDownLatch::countDown));
        }
        actors.forEach(actor -> actor.tell(handled));
        boolean all = handled.await(LIMIT_S, TimeUnit.SECONDS);
        sample.add(count, System.nanoTime() - begun);
        setting.checks().require("every actor handles a message", all, () -> handled.getCount() + " did not");
        long heapBytes = ProcessUsage.heapBytesAfterCollection() - heapBefore;
        sample.count("heap_bytes", heapBytes);
        sample.count("resident_bytes", heapBytes + ProcessUsage.residentBytes() - residentBefore);
        boolean alive = actors.stream().allMatch(ActorRef::isAlive);
        setting.checks().require("every actor is alive", alive, () -> "some have died");
        system.close();
    }

    @Override
    public void close() {
        // every repetition has closed its own system
    }
}
