package perflab.mailbox;

import org.junit.jupiter.api.Nested;
import perflab.mailbox.peer.AgronaMailbox;
import perflab.mailbox.peer.JctoolsBlockingMailbox;

/** The contract at the edges of capacity: one, two, and growth from one to two. */
class SmallCapacityContractTest {

    /** A mailbox factory cannot be a lambda, as its method is generic. */
    private record Linked(int capacity) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new LinkedMailbox<>(capacity);
        }
    }

    private record Resizable(int initial, int max) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new ResizableMailbox<>(initial, max);
        }
    }

    private record Jctools(int capacity) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new JctoolsBlockingMailbox<>(capacity);
        }
    }

    private record Agrona(int capacity) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new AgronaMailbox<>(capacity);
        }
    }

    @Nested
    class LinkedOfOne extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Linked(1);
        }
    }

    @Nested
    class LinkedOfTwo extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Linked(2);
        }
    }

    @Nested
    class ResizableOfOne extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Resizable(1, 1);
        }
    }

    @Nested
    class ResizableFromOneToTwo extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Resizable(1, 2);
        }
    }

    @Nested
    class JctoolsOfTwo extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Jctools(2);
        }
    }

    @Nested
    class AgronaOfTwo extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Agrona(2);
        }
    }
}
