package perflab.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A reason to stop that the protocol knows: it becomes the last line, and its kind the exit status. */
public abstract class BenchException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The protocol's kinds of error, with the exit status of each. */
    enum Kind {
        USAGE("usage", 2),
        MISSING("missing", 3),
        VOID("void", 4),
        VALIDATION("validation", 4),
        INTERNAL("internal", 1);

        final String protocolName;
        final int exitStatus;

        Kind(String protocolName, int exitStatus) {
            this.protocolName = protocolName;
            this.exitStatus = exitStatus;
        }
    }

    private final Kind kind;

    BenchException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /** What would have been right; empty if there is no list of it. */
    List<String> allowed() {
        return List.of();
    }

    static Map<String, Object> toJson(Kind kind, String message, List<String> allowed) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "error");
        line.put("kind", kind.protocolName);
        line.put("message", message);
        if (!allowed.isEmpty()) {
            line.put("allowed", allowed);
        }
        return line;
    }
}
