package perflab.mailbox;

class LinkedMailboxContractTest extends MailboxContractTest {

    @Override
    MailboxFactory mailboxes() {
        return LinkedMailbox::new;
    }
}
