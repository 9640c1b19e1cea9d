package perflab.bench;

import java.util.List;

/** Bad input: names what was wrong, and what is allowed if there is a list of it. */
public final class UsageException extends BenchException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> allowed;

    public UsageException(String message, List<String> allowed) {
        super(Kind.USAGE, message);
        this.allowed = List.copyOf(allowed);
    }

    UsageException(String message) {
        this(message, List.of());
    }

    static UsageException unknown(String kind, String name) {
        return new UsageException("unknown " + kind + " '" + name + "'");
    }

    @Override
    List<String> allowed() {
        return allowed == null ? List.of() : allowed;
    }
}
