package perflab.bench;

/** Something that the scenario needs is not on this machine. */
public final class MissingException extends BenchException {

    private static final long serialVersionUID = 1L;

    public MissingException(String message) {
        super(Kind.MISSING, message);
    }
}
