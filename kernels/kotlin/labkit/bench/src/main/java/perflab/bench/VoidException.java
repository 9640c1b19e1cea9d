package perflab.bench;

/** The variant broke a rule of the scenario: that is its result there, and no defect of the scenario or of the machine. */
public final class VoidException extends BenchException {

    private static final long serialVersionUID = 1L;

    public VoidException(String message) {
        super(Kind.VOID, message);
    }
}
