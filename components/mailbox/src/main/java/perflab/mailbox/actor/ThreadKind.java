package perflab.mailbox.actor;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What an actor runs on. */
public enum ThreadKind {
    /** A virtual thread of its own for each actor: what Cajun does. */
    VIRTUAL,
    /** A platform thread of its own for each actor: what profilers see best, as they show where it waits. */
    PLATFORM;

    /** The names in a bench program's parameters. */
    public static List<String> names() {
        return Arrays.stream(values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    public static ThreadKind named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    Thread unstarted(String name, Runnable body) {
        Thread.Builder builder =
                this == VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        return builder.name(name).unstarted(body);
    }
}
