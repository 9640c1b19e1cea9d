package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Parameter;
import perflab.bench.Parameters;
import perflab.bench.ScenarioSpec;
import perflab.bench.UsageException;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.actor.ThreadKind;

/**
 * What a run asks of a variant beyond what the variant fixes by itself; a number of zero asks for nothing.
 *
 * @param capacity the bound of mailboxes that have one
 */
record Conditions(ThreadKind threads, int pollMs, Yields yields, int batchSize, int capacity) {

    enum Yields {
        AUTO,
        ON,
        OFF
    }

    static ScenarioSpec.Builder addTo(ScenarioSpec.Builder spec) {
        return spec.parameter(Parameter.ofEnum(
                        "consumer", ThreadKind.VIRTUAL, "what the actor runs on; upstream: a virtual thread"))
                .parameter(Parameter.ofInt(
                        "poll-ms",
                        0,
                        0,
                        60_000,
                        "how long the actor's poll waits at most, in ms; 0: what the variant does"))
                .parameter(Parameter.ofEnum(
                        "yield", Yields.AUTO, "yield after a poll that brought nothing; auto: what the variant does"))
                .parameter(Parameter.ofInt(
                        "batch-size",
                        0,
                        0,
                        10_000,
                        "messages the actor takes before it handles them; 0: what the variant does"))
                .parameter(Parameter.ofInt(
                        "capacity", 0, 0, 1 << 24, "bound of mailboxes that have one; 0: what the variant does"));
    }

    static Conditions of(Parameters parameters) {
        return new Conditions(
                parameters.getEnum("consumer", ThreadKind.class),
                parameters.getInt("poll-ms"),
                parameters.getEnum("yield", Yields.class),
                parameters.getInt("batch-size"),
                parameters.getInt("capacity"));
    }

    PollLoop applyTo(PollLoop loop) {
        PollLoop changed = pollMs == 0 ? loop : loop.withTimeoutMs(pollMs);
        changed = batchSize == 0 ? changed : changed.withBatchSize(batchSize);
        return yields == Yields.AUTO ? changed : changed.withYields(yields == Yields.ON);
    }

    /** For a system that brings its own threads and its own loop. By default a run asks for no kind of thread. */
    void requireOwnLoop(String variant, ThreadKind own) {
        boolean others = threads != ThreadKind.VIRTUAL && threads != own;
        if (others || pollMs != 0 || batchSize != 0 || yields != Yields.AUTO) {
            throw new UsageException(
                    "variant '" + variant + "' has a loop of its own, which no parameter changes",
                    List.of("the defaults of consumer, poll-ms, yield and batch-size"));
        }
    }
}
