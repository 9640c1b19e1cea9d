package perflab.queues.quasar;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A reason to stop that the protocol knows. */
final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    static final String USAGE = "usage";
    static final String MISSING = "missing";
    static final String VALIDATION = "validation";
    static final String VOID = "void";
    static final String INTERNAL = "internal";

    private static final Map<String, Integer> EXIT_STATUS =
            Map.of(INTERNAL, 1, USAGE, 2, MISSING, 3, VALIDATION, 4, VOID, 4);

    private final String kind;
    private final transient List<String> allowed;

    Failure(String kind, String message, List<String> allowed) {
        super(message);
        this.kind = kind;
        this.allowed = allowed;
    }

    int exitStatus() {
        return EXIT_STATUS.get(kind);
    }

    Map<String, Object> toJson() {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("type", "error");
        line.put("kind", kind);
        line.put("message", getMessage());
        if (!allowed.isEmpty()) {
            line.put("allowed", allowed);
        }
        return line;
    }
}
