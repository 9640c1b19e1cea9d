package perflab.mailbox.bench;

import perflab.bench.Parameter;
import perflab.mailbox.actor.ThreadKind;

/** Parameters that several scenarios share. */
final class Knobs {

    static final String POLL_MS = "poll-ms";
    static final String CONSUMER = "consumer";

    private Knobs() {}

    static Parameter pollMs() {
        return Parameter.ofInt(
                POLL_MS, 0, 0, 60_000, "how long the actor's poll waits at most, in ms; 0: what the variant does");
    }

    static Parameter consumer() {
        return Parameter.ofChoice(
                CONSUMER,
                ThreadKind.names().getFirst(),
                ThreadKind.names(),
                "what the actor runs on; upstream: a virtual thread");
    }
}
