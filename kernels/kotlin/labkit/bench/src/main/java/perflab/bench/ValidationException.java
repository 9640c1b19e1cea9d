package perflab.bench;

/** The scenario's outcome is wrong: whatever was measured does not count. */
public final class ValidationException extends BenchException {

    private static final long serialVersionUID = 1L;

    public ValidationException(String message) {
        super(Kind.VALIDATION, message);
    }
}
