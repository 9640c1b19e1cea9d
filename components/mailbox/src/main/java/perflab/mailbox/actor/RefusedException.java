package perflab.mailbox.actor;

public final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public RefusedException() {
        // Back pressure is no error of the program: a stack trace per refusal would cost more than the message.
        super("the mailbox is full", null, false, false);
    }
}
