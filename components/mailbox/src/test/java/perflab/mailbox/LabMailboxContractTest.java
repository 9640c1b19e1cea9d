package perflab.mailbox;

import static perflab.mailbox.lab.LabMailboxes.BEFORE_SIGNED_WRAPAROUND;
import static perflab.mailbox.lab.LabMailboxes.BEFORE_UNSIGNED_WRAPAROUND;
import static perflab.mailbox.lab.LabMailboxes.CHUNKS_OF_ONE;

import org.junit.jupiter.api.Nested;
import perflab.mailbox.lab.BoundedMailbox;
import perflab.mailbox.lab.LabMailboxes;
import perflab.mailbox.lab.UnboundedMailbox;

/** The contract of the lab's own mailboxes, at the edges of capacity, chunk and ticket too. */
class LabMailboxContractTest {

    @Nested
    class Unbounded extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return UnboundedMailbox::new;
        }
    }

    @Nested
    class Blocking extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.blocking();
        }
    }

    @Nested
    class UnboundedInChunksOfOne extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.unbounded(0, CHUNKS_OF_ONE);
        }
    }

    @Nested
    class UnboundedBeforeSignedWraparound extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.unbounded(BEFORE_SIGNED_WRAPAROUND, 4);
        }
    }

    @Nested
    class UnboundedBeforeUnsignedWraparound extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.unbounded(BEFORE_UNSIGNED_WRAPAROUND, 4);
        }
    }

    @Nested
    class Bounded extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            MailboxFactory.Bounded ofCapacity = BoundedMailbox::new;
            return ofCapacity.ofCapacity(10_000);
        }
    }

    @Nested
    class BoundedOfOne extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.bounded(0, 1, CHUNKS_OF_ONE);
        }
    }

    @Nested
    class BoundedOfTwo extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.bounded(0, 2, 8);
        }
    }

    @Nested
    class BoundedOfThree extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.bounded(0, 3, 2);
        }
    }

    @Nested
    class BoundedOfOneBeforeSignedWraparound extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.bounded(BEFORE_SIGNED_WRAPAROUND, 1, 4);
        }
    }

    @Nested
    class BoundedOfThreeBeforeUnsignedWraparound extends MailboxContractTest {
        @Override
        MailboxFactory mailboxes() {
            return LabMailboxes.bounded(BEFORE_UNSIGNED_WRAPAROUND, 3, 4);
        }
    }
}
