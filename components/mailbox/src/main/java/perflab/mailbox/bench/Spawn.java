package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.ProcessUsage;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.MailboxActors;
import perflab.mailbox.actor.SpawnSteps;

/**
 * What an actor costs before it does anything: spawns actors, sends each one message, and waits until all are handled.
 * A system of ours then spawns as many again step by step, outside the timed region, for the parts that the report
 * lists. Stopping them is not timed.
 */
final class Spawn implements Experiment {

    private static final long LIMIT_S = 60;

    private final Checks checks;
    private final int count;
    private final ActorSystem system;

    Spawn(Design design, Setting setting) {
        checks = setting.checks();
        count = setting.parameters().getInt("actors");
        system = design.start(Conditions.of(setting.parameters()));
    }

    @Override
    public void repeat(Sample sample) throws Exception {
        whole(sample);
        if (system instanceof MailboxActors actors) {
            parts(actors, sample);
        }
    }

    private void whole(Sample sample) throws Exception {
        List<ActorRef<CountDownLatch>> actors = new ArrayList<>(count);
        CountDownLatch handled = new CountDownLatch(count);
        long allocatedBefore = ProcessUsage.allocatedBytes();
        long begun = System.nanoTime();
        for (int i = 0; i < count; i++) {
            actors.add(system.spawn(newHandler()));
        }
        long spawned = System.nanoTime();
        tellAll(actors, handled);
        long ended = System.nanoTime();
        sample.add(count, ended - begun);
        sample.count("spawn_ns", spawned - begun);
        sample.count("allocated_bytes", ProcessUsage.allocatedBytes() - allocatedBefore);
        stop(actors);
    }

    private void parts(MailboxActors actors, Sample sample) throws Exception {
        SpawnSteps<CountDownLatch> steps = actors.spawnInSteps(count, Spawn::newHandler);
        long begun = System.nanoTime();
        for (SpawnSteps.Part part : SpawnSteps.Part.values()) {
            steps.perform(part);
            long ended = System.nanoTime();
            sample.count("part_" + part + "_ns", ended - begun);
            begun = System.nanoTime();
        }
        tellAll(steps.actors(), new CountDownLatch(count));
        stop(steps.actors());
    }

    private void tellAll(List<? extends ActorRef<CountDownLatch>> actors, CountDownLatch handled)
            throws InterruptedException {
        actors.forEach(actor -> actor.tell(handled));
        boolean all = handled.await(LIMIT_S, TimeUnit.SECONDS);
        checks.require("every new actor handles its first message", all, () -> handled.getCount() + " did not");
    }

    private static void stop(List<? extends ActorRef<?>> actors) {
        actors.forEach(ActorRef::stop);
        actors.forEach(ActorRef::close);
    }

    /** By reflection, as upstream makes a handler from the class it is given. */
    private static Handler newHandler() throws ReflectiveOperationException {
        return Handler.class.getDeclaredConstructor().newInstance();
    }

    @Override
    public void close() {
        system.close();
    }

    static final class Handler implements Consumer<CountDownLatch> {

        Handler() {}

        @Override
        public void accept(CountDownLatch handled) {
            handled.countDown();
        }
    }
}
