package perflab.mailbox.bench;

import java.util.Locale;

/** The parts of spawning an actor, in the order in which they happen. */
enum SpawnPart {
    /** The handler's instance, by reflection, as upstream makes it from the class it is given. */
    HANDLER,
    MAILBOX,
    PROCESSOR,
    /** The thread's object. */
    THREAD,
    REGISTRATION,
    /** Until the call that starts the thread returns, not until the thread runs. */
    START;

    String metric() {
        return "part-" + name().toLowerCase(Locale.ROOT);
    }

    String counter() {
        return "part_" + name().toLowerCase(Locale.ROOT) + "_ns";
    }
}
