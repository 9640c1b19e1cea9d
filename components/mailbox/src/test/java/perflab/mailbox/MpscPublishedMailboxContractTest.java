package perflab.mailbox;

import java.util.Set;

class MpscPublishedMailboxContractTest extends MailboxContractTest {

    @Override
    MailboxFactory mailboxes() {
        return MpscPublishedMailbox::new;
    }

    @Override
    Set<String> broken() {
        return Set.of(
                "a waiting take is woken by an offer",
                "a waiting poll is woken by an offer",
                "no wake-up of many is lost",
                "a mailbox works on after an interrupt");
    }
}
