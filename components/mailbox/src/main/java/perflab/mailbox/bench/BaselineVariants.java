package perflab.mailbox.bench;

import java.util.List;
import java.util.function.Supplier;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.baseline.TaskThreads;

/** Threads without actors, in the scenarios where that is an answer. */
final class BaselineVariants {

    private static final List<String> SCENARIOS = List.of("single", "batch", "pooled");

    private BaselineVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                baseline("threads-virtual", "no actors: a virtual thread per task", TaskThreads::virtual),
                baseline("threads-platform", "no actors: a platform thread per task", TaskThreads::platform),
                baseline("threads-pool", "no actors: a thread per processor, and a queue", TaskThreads::pool));
    }

    private static Variant<Design> baseline(String name, String description, Supplier<TaskThreads> threads) {
        Design design = conditions -> {
            conditions.requireOwnLoop(name);
            return threads.get();
        };
        return new Variant<>(name, Role.PEER, description, Variants.source(TaskThreads.class), design, SCENARIOS);
    }
}
