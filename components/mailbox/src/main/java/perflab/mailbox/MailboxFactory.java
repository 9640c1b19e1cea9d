package perflab.mailbox;

/** A source of empty mailboxes of one kind. */
@FunctionalInterface
public interface MailboxFactory {

    <E> Mailbox<E> create();

    /** A source of mailboxes whose bound can be chosen. */
    @FunctionalInterface
    interface Bounded {

        /** Makes a mailbox that refuses what exceeds the capacity. */
        <E> Mailbox<E> create(int capacity);

        default MailboxFactory ofCapacity(int capacity) {
            Bounded bounded = this;
            return new MailboxFactory() {
                @Override
                public <E> Mailbox<E> create() {
                    return bounded.create(capacity);
                }
            };
        }
    }
}
