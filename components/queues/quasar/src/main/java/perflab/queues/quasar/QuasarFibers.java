package perflab.queues.quasar;

import co.paralleluniverse.common.monitoring.MonitorType;
import co.paralleluniverse.fibers.Fiber;
import co.paralleluniverse.fibers.FiberForkJoinScheduler;
import co.paralleluniverse.fibers.SuspendExecution;
import co.paralleluniverse.strands.channels.Channel;
import co.paralleluniverse.strands.channels.Channels;
import co.paralleluniverse.strands.channels.Channels.OverflowPolicy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * Quasar's fibers, one for each worker, and bounded channels: one that they share, or one for each. The caller blocks while the channel
 * whose turn it is has no room: upstream's policy, which sleeps instead, gives up after ten times, and a word would be lost. The
 * scheduler's threads outlive the runs.
 */
final class QuasarFibers implements Pipeline {

    private final boolean fair;
    private FiberForkJoinScheduler scheduler;
    private int threads;

    private QuasarFibers(boolean fair) {
        this.fair = fair;
    }

    /** A channel for each worker. */
    static QuasarFibers dealing() {
        return new QuasarFibers(false);
    }

    /** One channel with many consumers. */
    static QuasarFibers sharing() {
        return new QuasarFibers(true);
    }

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape)
            throws InterruptedException, ExecutionException {
        List<Channel<String>> channels = new ArrayList<>();
        List<Fiber<Void>> fibers = new ArrayList<>();
        for (int i = 0; i < shape.workers(); i++) {
            if (channels.isEmpty() || !fair) {
                int size = fair ? shape.queueSize() : shape.queueSizeEach();
                channels.add(Channels.newChannel(size, OverflowPolicy.BLOCK, true, !fair));
            }
            Channel<String> channel = channels.get(channels.size() - 1);
            fibers.add(new Fiber<Void>(scheduler(shape), new ScoringFiber(channel, scorer)).start());
        }
        try {
            for (int turn = 0; words.hasNext(); turn = (turn + 1) % channels.size()) {
                send(channels.get(turn), words.next());
            }
        } finally {
            for (int i = 0; i < shape.workers(); i++) {
                send(channels.get(i % channels.size()), ScoringFiber.END);
            }
            for (Fiber<Void> fiber : fibers) {
                fiber.join();
            }
        }
    }

    private static void send(Channel<String> channel, String word) throws InterruptedException {
        try {
            channel.send(word);
        } catch (SuspendExecution e) {
            throw new AssertionError("the caller is a thread, and a thread is not suspended", e);
        }
    }

    private FiberForkJoinScheduler scheduler(Shape shape) {
        if (scheduler == null || threads != shape.workers()) {
            close();
            threads = shape.workers();
            scheduler = new FiberForkJoinScheduler("quasar", threads, MonitorType.NONE, false);
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
