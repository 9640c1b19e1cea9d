package perflab.mailbox.bench;

import java.util.OptionalInt;
import perflab.bench.Parameters;
import perflab.bench.UsageException;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.actor.ThreadKind;

/**
 * What a run asks of a variant beyond what the variant fixes by itself; see {@link Knobs} for the parameters.
 *
 * @param threads what actors run on
 * @param pollMs how long a poll waits at most, in milliseconds
 * @param yields whether an actor yields after a poll that brought nothing
 * @param batchSize how many messages an actor takes at once
 * @param capacity the bound of mailboxes that have one
 */
public record Conditions(
        ThreadKind threads, OptionalInt pollMs, YieldKnob yields, OptionalInt batchSize, OptionalInt capacity) {

    /** Whether the loop yields. */
    enum YieldKnob {
        /** What the variant does. */
        AUTO,
        ON,
        OFF
    }

    static Conditions of(Parameters parameters) {
        return new Conditions(
                ThreadKind.named(parameters.getString(Knobs.CONSUMER)),
                given(parameters.getInt(Knobs.POLL_MS)),
                YieldKnob.valueOf(parameters.getString(Knobs.YIELD).toUpperCase(java.util.Locale.ROOT)),
                given(parameters.getInt(Knobs.BATCH_SIZE)),
                given(parameters.getInt(Knobs.CAPACITY)));
    }

    private static OptionalInt given(int value) {
        return value == 0 ? OptionalInt.empty() : OptionalInt.of(value);
    }

    PollLoop applyTo(PollLoop loop) {
        PollLoop changed = pollMs.isPresent() ? loop.withTimeoutMs(pollMs.getAsInt()) : loop;
        changed = batchSize.isPresent() ? changed.withBatchSize(batchSize.getAsInt()) : changed;
        return yields == YieldKnob.AUTO ? changed : changed.withYields(yields == YieldKnob.ON);
    }

    /**
     * For a system that brings its own threads and its own loop.
     *
     * @throws UsageException if the run asks for others
     */
    public void requireOwnLoop(String variant) {
        boolean own =
                threads == ThreadKind.VIRTUAL && pollMs.isEmpty() && batchSize.isEmpty() && yields == YieldKnob.AUTO;
        if (!own) {
            throw new UsageException(
                    "variant '" + variant + "' has a loop of its own, which no parameter changes",
                    java.util.List.of("the defaults of consumer, poll-ms, yield and batch-size"));
        }
    }
}
