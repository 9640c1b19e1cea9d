package perflab.queues.modes;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;

/** Load that is there all the time and belongs to nobody who is measured: the busy machine. */
public final class Background implements AutoCloseable {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int HASHES_PER_LOOK = 1_000;

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    private Background() {}

    public static Background start(int count) {
        Background background = new Background();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(background::compute, "background-" + i);
            thread.setDaemon(true);
            background.threads.add(thread);
            thread.start();
        }
        return background;
    }

    private void compute() {
        Hashing hashing = new Hashing();
        while (!closed) {
            hashing.compute(HASHES_PER_LOOK);
        }
    }

    /** What they have taken of the processors so far, in nanoseconds. */
    long cpuNs() {
        long sum = 0;
        for (Thread thread : threads) {
            sum += Math.max(0, THREADS.getThreadCpuTime(thread.getId()));
        }
        return sum;
    }

    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
