package perflab.mailbox;

/** A source of empty mailboxes of one kind. */
@FunctionalInterface
public interface MailboxFactory {

    <E> Mailbox<E> create();
}
