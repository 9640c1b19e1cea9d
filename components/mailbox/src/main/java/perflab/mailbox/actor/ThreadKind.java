package perflab.mailbox.actor;

public enum ThreadKind {
    /** A virtual thread of its own for each actor: what Cajun does. */
    VIRTUAL,
    /** A platform thread of its own for each actor: what profilers see best, as they show where it waits. */
    PLATFORM;

    Thread unstarted(String name, Runnable body) {
        Thread.Builder builder =
                this == VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        return builder.name(name).unstarted(body);
    }
}
