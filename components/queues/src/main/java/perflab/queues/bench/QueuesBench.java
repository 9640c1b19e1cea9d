package perflab.queues.bench;

import perflab.bench.Bench;
import perflab.queues.Crew;
import perflab.queues.Pipeline;
import perflab.queues.modes.Mode;

public final class QueuesBench {

    private QueuesBench() {}

    public static void main(String[] args) {
        bench().main(args);
    }

    static Bench<Design> bench() {
        Bench<Design> bench = Bench.<Design>of("queues")
                .contract(PipelineContract.checks())
                .plugins(Pipeline.class, instances -> new Design(Crew.BESIDE_THE_PRODUCER, instances::get));
        for (Mode mode : Mode.values()) {
            bench.scenario(ModeScenario.of(mode));
        }
        Variants.all().forEach(bench::variant);
        return bench;
    }
}
