package perflab.mailbox;

class MpscXaddMailboxContractTest extends MailboxContractTest {

    @Override
    MailboxFactory mailboxes() {
        return MpscXaddMailbox::new;
    }
}
