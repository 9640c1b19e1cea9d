package perflab.mailbox.bench;

import static perflab.bench.Better.HIGHER;
import static perflab.bench.Better.LOWER;
import static perflab.bench.Parameter.ofEnum;
import static perflab.bench.Parameter.ofInt;

import java.util.List;
import perflab.bench.JmhScenario;
import perflab.bench.OwnClockScenario;
import perflab.bench.Parameter;
import perflab.bench.Scenario;
import perflab.bench.ScenarioSpec;
import perflab.mailbox.actor.SpawnSteps;

/** What can be measured, in the order in which tables show it. How, and what for, is told by the experiments. */
final class Scenarios {

    private Scenarios() {}

    static List<Scenario<Design>> all() {
        return List.of(
                burst(), throughput(), ask(), wakeup(), firstBurst(), idle(), single(), batch(), spawn(), offerPoll());
    }

    private static Scenario<Design> burst() {
        return ownClock(
                ScenarioSpec.of("burst", "Burst to one actor", "a message, sent and handled")
                        .headline("rate", "messages/s", HIGHER)
                        .metric("refused", "counter:refused/op", "refusals/message", LOWER)
                        .metric("allocated", "counter:allocated_bytes/op", "bytes/message", LOWER)
                        .parameter(ofInt("producers", 2, 1, 64, "threads that send"))
                        .parameter(ofInt("messages", 5_000, 64, 10_000_000, "messages in a burst, of all producers"))
                        .parameter(work(0, "message")),
                Burst::new);
    }

    private static Scenario<Design> throughput() {
        return ownClock(
                ScenarioSpec.of("throughput", "Messages at a given rate", "a message, from when it was due to handled")
                        .headline("p99", "ns", LOWER)
                        .metric("p50", "p50", "ns", LOWER)
                        .metric("p99.9", "p99.9", "ns", LOWER)
                        .metric("max", "max", "ns", LOWER)
                        .metric("achieved", "counter:handled/s", "messages/s", HIGHER)
                        .metric("refused", "counter:refused/op", "refusals/message", LOWER)
                        .metric("late", "counter:late/op", "late sends/message", LOWER)
                        .parameter(
                                ofInt("rate", 100_000, 1_000, 10_000_000, "messages due per second, of all producers"))
                        .parameter(ofInt("producers", 1, 1, 64, "threads that send, in turn; each spins"))
                        .parameter(ofInt("window-ms", 100, 10, 10_000, "how long a repetition sends, in ms"))
                        .parameter(ofInt(
                                "late-us", 50, 0, 1_000_000, "a send further behind schedule than this is late, in us"))
                        .parameter(work(0, "message")),
                Throughput::new);
    }

    private static Scenario<Design> ask() {
        return ownClock(
                ScenarioSpec.of(
                                "ask",
                                "Ask and wait for the answer",
                                "a question, from ask to the answer in the asking thread's hand")
                        .headline("p50", "ns", LOWER)
                        .metric("p99", "p99", "ns", LOWER)
                        .metric("rate", "rate", "asks/s", HIGHER)
                        .metric("allocated", "counter:allocated_bytes/op", "B/ask", LOWER)
                        .metric("refused", "counter:refused/op", "refusals/ask", LOWER)
                        .parameter(ofInt("askers", 1, 1, 64, "threads that ask"))
                        .parameter(ofInt("outstanding", 1, 1, 1_000, "questions in flight from one asker"))
                        .parameter(ofInt("questions", 1_000, 64, 1_000_000, "questions in a repetition, of all askers"))
                        .parameter(work(0, "question")),
                Ask::new);
    }

    private static Scenario<Design> wakeup() {
        return ownClock(
                wakeups(ScenarioSpec.of(
                        "wakeup", "Wake-up of an idle actor", "a message to an idle actor, from send to handled")),
                (design, setting) -> new Wakeup(design, setting, 1, false));
    }

    /** A burst to a new actor: its mailbox has its initial size, and may have to grow while the actor is parked. */
    private static Scenario<Design> firstBurst() {
        return ownClock(
                wakeups(ScenarioSpec.of(
                                "wakeup-burst",
                                "First burst to an idle actor",
                                "a burst to a new, idle actor, from its first send to its last message handled")
                        .parameter(ofInt("burst", 60, 1, 10_000, "messages in the burst"))),
                (design, setting) ->
                        new Wakeup(design, setting, setting.parameters().getInt("burst"), true));
    }

    private static ScenarioSpec.Builder wakeups(ScenarioSpec.Builder spec) {
        return spec.headline("p50", "ns", LOWER)
                .metric("p99", "p99", "ns", LOWER)
                .metric("max", "max", "ns", LOWER)
                .metric("stalls", "counter:stalls/op", "stalls/wake-up", LOWER)
                .parameter(ofInt("min-gap-us", 200, 0, 1_000_000, "shortest pause before a send, in us"))
                .parameter(ofInt("max-gap-us", 2_000, 0, 1_000_000, "longest pause before a send, in us"))
                .parameter(ofInt("stall-ms", 50, 1, 10_000, "a wake-up longer than this is a stall, in ms"));
    }

    private static Scenario<Design> idle() {
        return ownClock(
                ScenarioSpec.of("idle", "Idle actors", "one actor idle for one second")
                        .headline("counter:cpu_ns/ns", "cores", LOWER)
                        .metric("per-actor", "counter:cpu_ns/op", "ns of CPU per actor and second", LOWER)
                        .metric("per-poll", "counter:poll_ns/op", "ns of CPU per poll", LOWER)
                        .parameter(ofInt("actors", 1_000, 1, 100_000, "actors that wait for a message")),
                Idle::new);
    }

    private static Scenario<Design> single() {
        return ownClock(
                taskCosts(ScenarioSpec.of("single", "A single task", "one task, from sent to its result")),
                (design, setting) -> new Tasks(design, setting, 1, 1));
    }

    private static Scenario<Design> batch() {
        return ownClock(
                taskCosts(ScenarioSpec.of(
                                "batch",
                                "A batch: many actors, one task each",
                                "one task of a batch, from the first sent to the last result")
                        .parameter(ofInt("tasks", 100, 1, 100_000, "tasks in a batch"))
                        .parameter(ofInt("actors", 100, 1, 100_000, "actors that they are dealt to, in turn"))),
                (design, setting) -> new Tasks(
                        design,
                        setting,
                        setting.parameters().getInt("tasks"),
                        setting.parameters().getInt("actors")));
    }

    private static ScenarioSpec.Builder taskCosts(ScenarioSpec.Builder spec) {
        return spec.headline("time", "ns/task", LOWER)
                .metric("allocated", "counter:allocated_bytes/op", "bytes/task", LOWER)
                .parameter(ofEnum(
                        "created",
                        Tasks.Created.BEFORE,
                        "inside: actors are spawned and stopped while the clock runs, as in upstream's benchmark"))
                .parameter(ofInt("work", 20, 0, 100_000, "Fibonacci numbers that a task computes; upstream: 20"));
    }

    private static Scenario<Design> spawn() {
        ScenarioSpec.Builder spec = ScenarioSpec.of(
                        "spawn", "Spawning actors", "one actor, from spawn to its first message handled")
                .headline("time", "ns/actor", LOWER)
                .metric("spawn", "counter:spawn_ns/op", "ns/actor", LOWER)
                .metric("allocated", "counter:allocated_bytes/op", "bytes/actor", LOWER)
                .parameter(ofInt("actors", 1_000, 1, 100_000, "actors spawned in one repetition"));
        for (SpawnSteps.Part part : SpawnSteps.Part.values()) {
            spec.metric("part-" + part, "counter:part_" + part + "_ns/op", "ns/actor", LOWER);
        }
        return ownClock(spec, Spawn::new);
    }

    private static Scenario<Design> offerPoll() {
        return new JmhScenario<>(
                ScenarioSpec.of("offer-poll", "Offer and poll, uncontended", "an offer and a poll by one thread")
                        .headline("time", "ns/pair", LOWER)
                        .build(),
                OfferPollBenchmark.class,
                "each poll returns the message just offered");
    }

    private static Scenario<Design> ownClock(ScenarioSpec.Builder spec, OwnClockScenario.Opening<Design> opening) {
        return new OwnClockScenario<>(Conditions.addTo(spec).build(), opening);
    }

    private static Parameter work(long defaultValue, String per) {
        return ofInt("work", defaultValue, 0, 100_000, "work per " + per + ", in tokens of JMH's Blackhole");
    }
}
