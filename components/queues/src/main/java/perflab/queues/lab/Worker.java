package perflab.queues.lab;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** One worker in one run. */
final class Worker {

    private final Lead lead;
    private final Batch batch;
    private final Consumer<String> scorer;
    private final AtomicBoolean begun = new AtomicBoolean();

    Worker(Lead lead, Batch batch, Consumer<String> scorer) {
        this.lead = lead;
        this.batch = batch;
        this.scorer = scorer;
    }

    /** Leads and scores in turn until the source is empty, unless it was dismissed. A scorer that throws ends the run of all. */
    void work() {
        if (!begun.compareAndSet(false, true)) {
            return;
        }
        try {
            while (lead.take()) {
                leadOnce();
                batch.score(scorer);
            }
        } finally {
            lead.end();
        }
    }

    /** Tells it not to begin; false if it has begun, or has ended. */
    boolean dismiss() {
        return begun.compareAndSet(false, true);
    }

    /** Hands the lead on before it scores, but for a source that is so slow that another leader would wait for it as well. */
    private void leadOnce() {
        try {
            boolean more = lead.read(batch);
            while (more && batch.isSourceSlow()) {
                batch.score(scorer);
                more = lead.read(batch);
            }
        } finally {
            lead.handOn();
        }
    }
}
