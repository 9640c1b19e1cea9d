package perflab.mailbox;

class MpscRepairedMailboxContractTest extends MailboxContractTest {

    @Override
    MailboxFactory mailboxes() {
        return MpscRepairedMailbox::new;
    }
}
