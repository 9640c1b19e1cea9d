package perflab.mailbox.preset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MpscPublishedMailbox;

class MailboxProviderTest {

    private static Mailbox<Integer> selected(MailboxProvider provider, Workload workload) {
        return provider.select(OptionalInt.empty(), workload).create();
    }

    @Test
    void theReportsTableIsFollowed() {
        assertEquals(
                10_000,
                selected(MailboxProvider.OF_THE_REPORT, Workload.IO_BOUND).capacity());
        assertInstanceOf(LinkedMailbox.class, selected(MailboxProvider.OF_THE_REPORT, Workload.IO_BOUND));
        assertInstanceOf(MpscPublishedMailbox.class, selected(MailboxProvider.OF_THE_REPORT, Workload.CPU_BOUND));
        assertInstanceOf(LinkedMailbox.class, selected(MailboxProvider.OF_THE_REPORT, Workload.MIXED));
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void theUsersOwnCapacityGoesFirst(Workload workload) {
        OptionalInt asked = OptionalInt.of(500);
        for (MailboxProvider provider : List.of(MailboxProvider.OF_THE_REPORT, MailboxProvider.AS_PUBLISHED)) {
            Mailbox<Integer> mailbox = provider.select(asked, workload).create();
            assertInstanceOf(LinkedMailbox.class, mailbox);
            assertEquals(500, mailbox.capacity());
        }
    }

    /** Whoever configures nothing and optimizes for CPU-bound work gets the same as everybody else. */
    @ParameterizedTest
    @EnumSource(Workload.class)
    void thePublishedBuilderNeverLooksAtTheWorkload(Workload workload) {
        Mailbox<Integer> mailbox = selected(MailboxProvider.AS_PUBLISHED, workload);
        assertInstanceOf(LinkedMailbox.class, mailbox);
        assertEquals(MailboxProvider.DEFAULT_CAPACITY, mailbox.capacity());
    }
}
