package perflab.queues.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.queues.Crew;
import perflab.queues.lab.LabPipeline;
import perflab.queues.pipelines.LabMailbox;

/** This project's own. */
final class LabVariants {

    private LabVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                Variants.of(
                        "mailbox",
                        Role.LAB,
                        "the lab's bounded mailbox, one for each worker; spins if that has paid off of late, then parks",
                        LabMailbox.class,
                        Crew.BESIDE_THE_PRODUCER,
                        LabMailbox::new),
                Variants.of(
                        "lab",
                        Role.LAB,
                        "no queue: workers take turns at the source; on a busy machine more of them than asked for",
                        LabPipeline.class,
                        Crew.ALL_PROCESSORS,
                        LabPipeline::new));
    }
}
