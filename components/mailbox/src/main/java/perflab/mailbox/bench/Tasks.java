package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.Parameters;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * Batches of tasks, dealt to actors in turn by one thread, which then waits for all results. The results are compared with
 * what they must be, so that no compiler leaves the work out; upstream's batch throws them away.
 */
abstract class Tasks implements Experiment {

    /** No batch takes this long; one that does has lost a task. */
    private static final long LIMIT_S = 30;

    private final Checks checks;
    private final int tasks;
    private final int work;
    final ActorSystem system;
    final int actorCount;

    private Tasks(Design design, Setting setting, int tasks, int actors) {
        checks = setting.checks();
        Parameters parameters = setting.parameters();
        this.tasks = tasks;
        work = parameters.getInt("work");
        actorCount = actors;
        system = design.start(Conditions.of(parameters));
    }

    /** Sends all tasks and waits for their results. */
    abstract boolean perform(TaskResults results) throws InterruptedException;

    /** Deals the tasks to the actors and waits; false if a result did not come. */
    final boolean deal(List<ActorRef<Task>> actors, TaskResults results) throws InterruptedException {
        for (int i = 0; i < tasks; i++) {
            if (!actors.get(i % actors.size()).tell(new Task(i, work, results))) {
                return false;
            }
        }
        return results.await(LIMIT_S);
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        TaskResults results = new TaskResults(tasks);
        long allocatedBefore = Allocation.bytes();
        long begun = System.nanoTime();
        boolean ended = perform(results);
        long ns = System.nanoTime() - begun;
        long allocated = Allocation.bytes() - allocatedBefore;
        checks.require("every task has a result", ended, () -> results.missing() + " have none");
        int wrong = results.firstWrong(work);
        checks.require("every result is right", wrong < 0, () -> "task " + wrong + "'s is not");
        sample.add(tasks, ns);
        sample.count("allocated_bytes", allocated);
    }

    @Override
    public void close() {
        system.close();
    }

    /** With actors that live as long as the fork. */
    static Tasks spawnedBefore(Design design, Setting setting, int tasks, int actors) {
        return new Tasks(design, setting, tasks, actors) {
            private final List<ActorRef<Task>> lasting = spawnAll();

            @Override
            boolean perform(TaskResults results) throws InterruptedException {
                return deal(lasting, results);
            }
        };
    }

    /** With actors of their own for each batch, spawned and stopped while the clock runs. */
    static Tasks spawningInside(Design design, Setting setting, int tasks, int actors) {
        return new Tasks(design, setting, tasks, actors) {
            @Override
            boolean perform(TaskResults results) throws InterruptedException {
                List<ActorRef<Task>> passing = spawnAll();
                boolean ended = deal(passing, results);
                passing.forEach(ActorRef::stop);
                return ended;
            }
        };
    }

    final List<ActorRef<Task>> spawnAll() {
        List<ActorRef<Task>> actors = new ArrayList<>(actorCount);
        for (int i = 0; i < actorCount; i++) {
            actors.add(system.spawn(Task.HANDLER));
        }
        return actors;
    }
}
