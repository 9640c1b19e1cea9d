package perflab.mailbox.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a sender does about a message that a full mailbox refused. */
enum WhenFull {
    /** Goes on to the next message: what comes of the report's {@code tell}, which ignores the mailbox's answer. */
    DROP,
    /** Yields its processor and offers the message again, until it is accepted. */
    RETRY,
    /** Uses the mailbox's offer that waits for room. */
    WAIT;

    /** The names in a bench program's parameters. */
    static List<String> names() {
        return Arrays.stream(values())
                .map(choice -> choice.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    static WhenFull named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
