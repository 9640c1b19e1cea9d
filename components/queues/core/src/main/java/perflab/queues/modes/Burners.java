package perflab.queues.modes;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The other work of mode {@code burn}: a fixed amount for each task, which a pipeline that spins while it waits delays. */
final class Burners {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong cpuNs = new AtomicLong();

    private Burners() {}

    static Burners start(int tasks, int hashes) {
        Burners burners = new Burners();
        for (int i = 0; i < tasks; i++) {
            Thread thread = new Thread(() -> burners.burn(hashes), "burner-" + i);
            thread.setDaemon(true);
            burners.threads.add(thread);
            thread.start();
        }
        return burners;
    }

    private void burn(int hashes) {
        new Hashing().compute(hashes);
        cpuNs.addAndGet(THREADS.getCurrentThreadCpuTime());
    }

    void await() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** What the tasks took of the processors, in nanoseconds; after {@link #await}. */
    long cpuNs() {
        return cpuNs.get();
    }
}
