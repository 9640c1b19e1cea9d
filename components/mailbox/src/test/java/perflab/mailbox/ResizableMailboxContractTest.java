package perflab.mailbox;

class ResizableMailboxContractTest extends MailboxContractTest {

    @Override
    MailboxFactory mailboxes() {
        return ResizableMailbox::new;
    }
}
