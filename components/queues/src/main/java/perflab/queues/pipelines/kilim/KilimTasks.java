package perflab.queues.pipelines.kilim;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import kilim.ForkJoinScheduler;
import kilim.MailboxSPSC;
import kilim.Scheduler;
import kilim.Task;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * Kilim's tasks, as upstream has them: one for each worker, each with a mailbox for one producer and one consumer, and one that
 * reads the source and deals the words. The scheduler has a thread for each worker; its threads outlive the runs.
 */
public final class KilimTasks implements Pipeline {

    private Scheduler scheduler;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        List<MailboxSPSC<String>> mailboxes = Stream.generate(() -> new MailboxSPSC<String>(shape.queueSizeEach()))
                .limit(shape.workers())
                .toList();
        List<Task<Void>> scoring = mailboxes.stream()
                .map(mailbox -> start(new ScoringTask(mailbox, scorer), shape))
                .toList();
        DealingTask dealing = new DealingTask(words, mailboxes);
        start(dealing, shape).joinb();
        scoring.forEach(Task::joinb);
        if (dealing.failure() != null) {
            throw new CompletionException(dealing.failure());
        }
    }

    private Task<Void> start(Task<Void> task, Shape shape) {
        return task.setScheduler(scheduler(shape)).start();
    }

    private Scheduler scheduler(Shape shape) {
        if (scheduler == null || scheduler.numThreads() != shape.workers()) {
            close();
            scheduler = new ForkJoinScheduler(shape.workers());
        }
        return scheduler;
    }

    @Override
    public void close() {
        if (scheduler != null) {
            scheduler.shutdown();
        }
    }
}
