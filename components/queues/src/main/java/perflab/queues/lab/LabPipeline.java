package perflab.queues.lab;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
 * <p><b>The end.</b> Whoever finds the source empty ends the run for all. The caller waits for helpers that score, however it was
 * interrupted; a helper that the scheduler has not begun by then never begins, and is not waited for: on a busy machine
 * that would take longer than the words.
 *
 * <p><b>Progress.</b> Blocking: a leader that is preempted while it reads holds up those that have nothing left to score. It reads
 * for microseconds and scores for longer.
 */
public final class LabPipeline implements Pipeline {

    private final ExecutorService helpers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("lab-", 0).factory());

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws Exception {
        Lead lead = new Lead(words);
        int largest = Math.max(1, shape.queueSize() / shape.workers());
        List<Worker> workers = Stream.generate(() -> new Worker(lead, new Batch(largest), scorer))
                .limit(shape.workers())
                .toList();
        Map<Worker, Future<?>> helping = new LinkedHashMap<>();
        for (Worker helper : workers.subList(1, workers.size())) {
            helping.put(helper, helpers.submit(helper::work));
        }
        try {
            workers.getFirst().work();
        } finally {
            join(helping);
        }
        lead.rethrowFailure();
    }

    /** Waits for all that have begun: nothing is scored when the run has returned. */
    private static void join(Map<Worker, Future<?>> helping) throws InterruptedException {
        boolean interrupted = false;
        Throwable failure = null;
        for (Map.Entry<Worker, Future<?>> helper : helping.entrySet()) {
            boolean ended = helper.getKey().dismiss();
            while (!ended) {
                try {
                    helper.getValue().get();
                    ended = true;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    failure = e.getCause();
                    ended = true;
                }
            }
        }
        if (failure != null) {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("a worker has failed", failure);
        }
        if (interrupted) {
            throw new InterruptedException("while helpers scored their last batches");
        }
    }

    @Override
    public void close() {
        helpers.shutdown();
    }
}
