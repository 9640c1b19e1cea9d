package perflab.mailbox;

import org.junit.jupiter.api.Nested;
import perflab.mailbox.peer.BareQueues;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.TransferMailbox;

/** Every library's queue keeps the whole contract; the bare ones by looking, not by being woken. */
class PeerContractTest {

    @Nested
    class JctoolsBlocking extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return JctoolsBlockingMailbox::new;
        }
    }

    @Nested
    class JctoolsMpsc extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return BareQueues::jctoolsMpsc;
        }
    }

    @Nested
    class JctoolsXadd extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return BareQueues::jctoolsXadd;
        }
    }

    @Nested
    class JctoolsArray extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return BareQueues::jctoolsArray;
        }
    }

    @Nested
    class Agrona extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return BareQueues::agrona;
        }
    }

    @Nested
    class Transfer extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return TransferMailbox::new;
        }
    }
}
