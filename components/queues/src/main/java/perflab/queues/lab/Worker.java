package perflab.queues.lab;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.Consumer;

/** One worker in one run. */
final class Worker {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Lead lead;
    private final Batch batch;
    private final Consumer<String> scorer;
    private long cpuNs;

    Worker(Lead lead, Batch batch, Consumer<String> scorer) {
        this.lead = lead;
        this.batch = batch;
        this.scorer = scorer;
    }

    /** Leads and scores in turn until the source is empty. */
    void work() {
        long before = THREADS.getCurrentThreadCpuTime();
        while (lead.take()) {
            leadOnce();
            batch.score(scorer);
        }
        cpuNs = THREADS.getCurrentThreadCpuTime() - before;
    }

    private void leadOnce() {
        try {
            boolean more = lead.read(batch);
            while (more && batch.isCheap()) {
                batch.score(scorer);
                more = lead.read(batch);
            }
        } finally {
            lead.handOn();
        }
    }

    /** How long it was on a processor, in nanoseconds; after its end. */
    long cpuNs() {
        return cpuNs;
    }

    /** How long it scored, by the clock on the wall, in nanoseconds; after its end. */
    long scoringNs() {
        return batch.scoringNs();
    }
}
