package perflab.queues.pipelines;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that score. Those of the platform outlive a run, as those of all pools here do: no clock runs while they are made. */
final class Workers implements AutoCloseable {

    /** What a worker does until it has seen the end. */
    @FunctionalInterface
    interface Body {
        void run() throws InterruptedException;
    }

    private final ExecutorService threads;
    private final List<Future<?>> running = new ArrayList<>();

    private Workers(ExecutorService threads) {
        this.threads = threads;
    }

    static Workers onPlatformThreads() {
        return new Workers(new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("worker-", 0).factory()));
    }

    static Workers onVirtualThreads() {
        return new Workers(Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("worker-", 0).factory()));
    }

    void start(Body body) {
        if (threads instanceof ThreadPoolExecutor pool && pool.getCorePoolSize() <= running.size()) {
            pool.setMaximumPoolSize(running.size() + 1);
            pool.setCorePoolSize(running.size() + 1);
        }
        running.add(threads.submit(() -> {
            body.run();
            return null;
        }));
    }

    /** Waits until all have seen the end. */
    void join() throws InterruptedException {
        try {
            for (Future<?> worker : running) {
                worker.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a worker has failed", e.getCause());
        } finally {
            running.clear();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
