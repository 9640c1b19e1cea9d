package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.ProcessUsage;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * The report's benchmarks: batches of small tasks, dealt to actors in turn by one thread, which then waits for all
 * results. The results are compared with what they must be, so that no compiler leaves the work out; upstream's batch
 * throws them away.
 */
final class Tasks implements Experiment {

    /** No batch takes this long; one that does has lost a task. */
    private static final long LIMIT_S = 30;

    enum Created {
        /** Before the clock starts; they live as long as the fork. */
        BEFORE,
        /** For each batch, while the clock runs, each just before its first task; and ended before the clock stops. */
        INSIDE
    }

    private final Checks checks;
    private final int tasks;
    private final int work;
    private final int actors;
    private final ActorSystem system;

    private final List<ActorRef<Task>> lasting;

    Tasks(Design design, Setting setting, int tasks, int actors) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        this.tasks = tasks;
        this.actors = actors;
        work = parameters.getInt("work");
        system = design.start(Conditions.of(parameters));
        lasting = parameters.getEnum("created", Created.class) == Created.BEFORE ? spawnAll() : List.of();
    }

    private List<ActorRef<Task>> spawnAll() {
        return Stream.generate(this::spawn).limit(actors).toList();
    }

    private ActorRef<Task> spawn() {
        return system.spawn(Task.HANDLER);
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        Task.Results results = new Task.Results(tasks);
        long allocatedBefore = ProcessUsage.allocatedBytes();
        long begun = System.nanoTime();
        boolean ended = perform(results);
        long ns = System.nanoTime() - begun;
        long allocated = ProcessUsage.allocatedBytes() - allocatedBefore;
        CountDownLatch missing = results.missing();
        checks.require("every task has a result", ended, () -> missing.getCount() + " have none");
        int wrong = results.firstWrong(work);
        checks.require("every result is right", wrong < 0, () -> "task " + wrong + "'s is not");
        sample.add(tasks, ns);
        sample.count("allocated_bytes", allocated);
    }

    private boolean perform(Task.Results results) throws InterruptedException {
        return lasting.isEmpty() ? performOnNew(results) : deal(lasting::get, results);
    }

    /**
     * As upstream's benchmark does: an actor is sent its task before the next one is spawned, so that it rarely finds an
     * empty mailbox, and in the end each is stopped and waited for in turn.
     */
    private boolean performOnNew(Task.Results results) throws InterruptedException {
        List<ActorRef<Task>> passing = new ArrayList<>(actors);
        boolean ended = deal(
                number -> {
                    if (number == passing.size()) {
                        passing.add(spawn());
                    }
                    return passing.get(number);
                },
                results);
        passing.forEach(ActorRef::close);
        return ended;
    }

    private boolean deal(IntFunction<ActorRef<Task>> to, Task.Results results) throws InterruptedException {
        for (int i = 0; i < tasks; i++) {
            if (!to.apply(i % actors).tell(new Task(i, work, results))) {
                return false;
            }
        }
        return results.missing().await(LIMIT_S, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        system.close();
    }
}
