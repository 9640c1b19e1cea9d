package perflab.mailbox.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import perflab.bench.Checks;
import perflab.bench.Experiment;
import perflab.bench.ProcessUsage;
import perflab.bench.Sample;
import perflab.bench.Setting;
import perflab.mailbox.actor.ActorRef;
import perflab.mailbox.actor.ActorSystem;

/**
 * Cost at rest: what many actors that have nothing to do take of the processor, by the process's CPU time before and
 * after a sleep. At the end each must still be listening.
 */
final class Idle implements Experiment {

    private static final long WINDOW_MS = 250;
    private static final long LIMIT_S = 90;
    private static final double NS_PER_SECOND = 1e9;

    private final Checks checks;
    private final ActorSystem system;
    private final List<ActorRef<Integer>> actors = new ArrayList<>();
    private final CountDownLatch heard;

    Idle(Design design, Setting setting) {
        checks = setting.checks();
        int count = setting.parameters().getInt("actors");
        system = design.start(Conditions.of(setting.parameters()));
        heard = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            actors.add(system.spawn(message -> heard.countDown()));
        }
    }

    @Override
    public void repeat(Sample sample) throws InterruptedException {
        long pollsBefore = emptyPolls();
        long cpuBefore = ProcessUsage.cpuNs();
        long before = System.nanoTime();
        Thread.sleep(WINDOW_MS);
        long ns = System.nanoTime() - before;
        long cpuNs = ProcessUsage.cpuNs() - cpuBefore;
        long polls = emptyPolls() - pollsBefore;
        double actorSeconds = actors.size() * (ns / NS_PER_SECOND);
        sample.add(actorSeconds, ns);
        sample.count("cpu_ns", cpuNs);
        if (polls > 0) {
            // a metric divides a counter by the operations, so that this becomes their mean
            sample.count("poll_ns", Math.round(actorSeconds * cpuNs / polls));
        }
    }

    /** Zero for a system that cannot tell, and for one that does not poll. */
    private long emptyPolls() {
        return actors.stream().mapToLong(actor -> actor.emptyPolls().orElse(0)).sum();
    }

    @Override
    public void close() {
        actors.forEach(actor -> actor.tell(0));
        boolean all = false;
        try {
            all = heard.await(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        system.close();
        checks.require(
                "every actor still handles a message after its rest",
                all,
                () -> heard.getCount() + " of " + actors.size() + " did not");
    }
}
