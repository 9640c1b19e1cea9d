package perflab.mailbox;

import java.util.function.Supplier;

@FunctionalInterface
public interface MailboxFactory {

    <E> Mailbox<E> create();

    @SuppressWarnings("unchecked") // a fresh mailbox holds no message yet, so it is one of any type
    static MailboxFactory of(Supplier<Mailbox<?>> mailboxes) {
        return new MailboxFactory() {
            @Override
            public <E> Mailbox<E> create() {
                return (Mailbox<E>) mailboxes.get();
            }
        };
    }

    @FunctionalInterface
    interface Bounded {

        /** Makes a mailbox that refuses what exceeds the capacity. */
        <E> Mailbox<E> create(int capacity);

        default MailboxFactory ofCapacity(int capacity) {
            return MailboxFactory.of(() -> create(capacity));
        }
    }
}
