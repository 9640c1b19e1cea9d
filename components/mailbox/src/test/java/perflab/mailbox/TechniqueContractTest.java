package perflab.mailbox;

import java.util.Set;
import org.junit.jupiter.api.Nested;
import perflab.mailbox.technique.BatchEnvelopes;
import perflab.mailbox.technique.WrappedMailbox;
import perflab.mailbox.technique.Wrappers;

/** The contract of mailboxes around mailboxes. */
class TechniqueContractTest {

    private record Wrapped(Wrappers wrappers) implements MailboxFactory {
        @Override
        public <E> Mailbox<E> create() {
            return new WrappedMailbox<>(new LinkedMailbox<>(), wrappers);
        }
    }

    @Nested
    class InNewWrappers extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Wrapped(Wrappers.allocated());
        }
    }

    /** A small pool, so that it runs empty and overflows. */
    @Nested
    class InPooledWrappers extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new Wrapped(Wrappers.pooled(4));
        }
    }

    @Nested
    class InBatches extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return new MailboxFactory() {
                @Override
                public <E> Mailbox<E> create() {
                    return new BatchEnvelopes<>(new LinkedMailbox<>());
                }
            };
        }

        /** A batch takes one place, whatever is in it. */
        @Override
        Set<String> broken() {
            return Set.of(
                    "a batch is accepted in order", // it is, but its size counts as one
                    "of a batch that is too large the first messages are accepted");
        }
    }
}
