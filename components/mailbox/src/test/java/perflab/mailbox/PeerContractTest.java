package perflab.mailbox;

import org.junit.jupiter.api.Nested;
import perflab.mailbox.peer.AgronaMailbox;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.TransferMailbox;

/** Every library's queue keeps the whole contract; Agrona's by looking, not by being woken. */
class PeerContractTest {

    @Nested
    class JctoolsBlocking extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return JctoolsBlockingMailbox::new;
        }
    }

    @Nested
    class Agrona extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return AgronaMailbox::new;
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
