package perflab.queues.lab;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * Leader and followers (Schmidt, O'Ryan, Pyarali, Kircher, Buschmann: <i>Leader/Followers</i>, PLoP 2000): the workers, of which the
 * caller is one, take turns at the source. The leader reads a batch, hands the lead on and scores what it has read.
 *
 * <pre>
 *   W1  [lead: read][ score its batch          ][lead: read][ score ...
 *   W2              [lead: read][ score its batch          ][lead: ...
 * </pre>
 *
 * <p>A word stays with the thread that read it: no hand-over and no wake-up for it. Who waits for the lead spins for up to 200
 * looks, then parks ({@link Lead}). A worker that has got large
 * tasks reads no more until it is done, so they spread by themselves. Under way are the workers' batches and nothing
 * else: that is the back pressure. {@link Batch} says how large they are, and when the lead is not worth handing on.
 *
 * <p><b>Number of threads.</b> {@link Shape#workers} is a floor. On a busy machine {@link Crowd} starts more, up to four times as
 * many, and so takes processors from whatever else runs there. Of its lead over pipelines that keep to their number a part is that.
 *
 * <p><b>Progress.</b> Blocking: a leader that is preempted while it reads holds up those that have nothing left to score. It reads
 * for microseconds and scores for longer.
 */
public final class LabPipeline implements Pipeline {

    private final ExecutorService helpers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("lab-", 0).factory());
    private final Crowd crowd = new Crowd(Runtime.getRuntime().availableProcessors());

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws Exception {
        Lead lead = new Lead(words);
        int count = crowd.workers(shape.workers());
        int largest = Math.max(1, shape.queueSize() / count);
        List<Worker> workers = Stream.generate(() -> new Worker(lead, new Batch(largest), scorer))
                .limit(count)
                .toList();
        List<Future<?>> helping = new ArrayList<>();
        for (Worker helper : workers.subList(1, workers.size())) {
            helping.add(helpers.submit(helper::work));
        }
        workers.getFirst().work();
        for (Future<?> helper : helping) {
            join(helper);
        }
        lead.rethrowFailure();
        crowd.learn(
                workers.size(),
                workers.stream().mapToLong(Worker::cpuNs).sum(),
                workers.stream().mapToLong(Worker::scoringNs).sum());
    }

    private static void join(Future<?> helper) throws InterruptedException {
        try {
            helper.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a worker has failed", e.getCause());
        }
    }

    @Override
    public void close() {
        helpers.shutdown();
    }
}
