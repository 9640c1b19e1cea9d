package perflab.bench;

import java.util.List;

/** Bad input: names what was wrong and what is allowed. */
public final class UsageException extends BenchException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> allowed;

    public UsageException(String message, List<String> allowed) {
        super(Kind.USAGE, message);
        this.allowed = List.copyOf(allowed);
    }

    @Override
    List<String> allowed() {
        return allowed == null ? List.of() : allowed;
    }
}
