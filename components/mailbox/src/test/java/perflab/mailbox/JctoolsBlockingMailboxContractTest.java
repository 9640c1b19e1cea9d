package perflab.mailbox;

class JctoolsBlockingMailboxContractTest extends MailboxContractTest {

    @Override
    MailboxFactory mailboxes() {
        return JctoolsBlockingMailbox::new;
    }
}
