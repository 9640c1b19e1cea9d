package perflab.queues.pipelines;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** The threads that score during one run. */
final class Workers {

    /** What a worker does until it has seen the end. */
    @FunctionalInterface
    interface Body {
        void run() throws InterruptedException;
    }

    private final ThreadFactory factory;
    private final List<Thread> threads = new ArrayList<>();

    private Workers(ThreadFactory factory) {
        this.factory = factory;
    }

    static Workers onPlatformThreads() {
        return new Workers(Thread.ofPlatform().daemon().name("worker-", 0).factory());
    }

    static Workers onVirtualThreads() {
        return new Workers(Thread.ofVirtual().name("worker-", 0).factory());
    }

    void start(Body body) {
        Thread thread = factory.newThread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a worker", e);
            }
        });
        threads.add(thread);
        thread.start();
    }

    /** Waits until all have ended. */
    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
