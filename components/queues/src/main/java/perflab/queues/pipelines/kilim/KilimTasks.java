package perflab.queues.pipelines.kilim;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import kilim.ForkJoinScheduler;
import kilim.Mailbox;
import kilim.Scheduler;
import kilim.Task;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * Kilim's tasks, one for each worker, each with a mailbox: a mailbox has one consumer, so the caller deals the words in turn, and
 * blocks while the one whose turn it is has no room. The scheduler's threads outlive the runs.
 */
public final class KilimTasks implements Pipeline {

    private static final int FIRST_SLOTS = 16;

    private Scheduler scheduler;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        List<Mailbox<String>> mailboxes = new ArrayList<>();
        List<Task<Void>> tasks = new ArrayList<>();
        int slots = shape.queueSizeEach();
        for (int i = 0; i < shape.workers(); i++) {
            Mailbox<String> mailbox = new Mailbox<>(Math.min(FIRST_SLOTS, slots), slots);
            mailboxes.add(mailbox);
            tasks.add(new ScoringTask(mailbox, scorer)
                    .setScheduler(scheduler(shape))
                    .start());
        }
        try {
            for (int turn = 0; words.hasNext(); turn = (turn + 1) % shape.workers()) {
                mailboxes.get(turn).putb(words.next());
            }
        } finally {
            mailboxes.forEach(mailbox -> mailbox.putb(ScoringTask.END));
            tasks.forEach(Task::joinb);
        }
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
