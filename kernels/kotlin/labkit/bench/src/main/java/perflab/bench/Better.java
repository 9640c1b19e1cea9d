package perflab.bench;

import java.util.Locale;

/** Which direction of a metric is an improvement. */
public enum Better {
    HIGHER,
    LOWER;

    String protocolName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
