package perflab.bench;

import java.util.Locale;

/** What a variant stands for in its topic. */
public enum Role {
    /** The system as the report found it. */
    BEFORE,
    /** The system as the report fixed it. */
    AFTER,
    /** What a user would pick instead. */
    PEER,
    /** This project's own best. */
    LAB,
    /** A reader's plug-in. */
    YOURS;

    String protocolName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
