package perflab.mailbox.peer.cajun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.cajunsystems.Actor;
import com.cajunsystems.config.MailboxConfig;
import com.cajunsystems.config.ThreadPoolFactory;
import com.cajunsystems.config.ThreadPoolFactory.WorkloadType;
import com.cajunsystems.mailbox.LinkedMailbox;
import com.cajunsystems.mailbox.Mailbox;
import com.cajunsystems.mailbox.MpscMailbox;
import com.cajunsystems.mailbox.config.DefaultMailboxProvider;
import com.cajunsystems.mailbox.config.MailboxProvider;
import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;

/**
 * Actors of Cajun 0.7.0, which any JVM can make if not start. Their system, which it cannot, hands them a provider and a
 * factory of threads; here the test does.
 */
@SuppressWarnings("removal")
class PublishedActorTest {

    private static final class Silent extends Actor<Integer> {
        Silent(MailboxConfig config, ThreadPoolFactory threads, MailboxProvider<Integer> provider) {
            super(null, "silent", null, config, threads, provider);
        }

        @Override
        protected void receive(Integer message) {}
    }

    private static Mailbox<?> mailboxOf(MailboxConfig config, WorkloadType workload, MailboxProvider<Integer> provider)
            throws Exception {
        Actor<Integer> actor = new Silent(config, new ThreadPoolFactory().optimizeFor(workload), provider);
        Field mailbox = Actor.class.getDeclaredField("mailbox");
        mailbox.setAccessible(true);
        return (Mailbox<?>) mailbox.get(actor);
    }

    private static Mailbox<?> mailboxFor(WorkloadType workload, int capacity) throws Exception {
        return mailboxOf(new MailboxConfig().setMaxCapacity(capacity), workload, new DefaultMailboxProvider<>());
    }

    @Test
    void anActorGetsTheMailboxOfItsWorkload() throws Exception {
        assertInstanceOf(MpscMailbox.class, mailboxFor(WorkloadType.CPU_BOUND, 500));
        assertEquals(
                10_000,
                assertInstanceOf(LinkedMailbox.class, mailboxFor(WorkloadType.IO_BOUND, 500))
                        .capacity());
    }

    /** Its factory of threads calls mixed work I/O: it prefers virtual threads, and looks at that first. */
    @Test
    void anActorForMixedWorkGetsNoSmallerMailboxThanOneForIo() throws Exception {
        assertEquals(10_000, mailboxFor(WorkloadType.MIXED, 500).capacity());
        assertEquals(20_000, mailboxFor(WorkloadType.MIXED, 20_000).capacity());
    }

    @Test
    void anActorTakesWhateverMailboxItsProviderMakes() throws Exception {
        Mailbox<Integer> own = new MpscMailbox<>(256);
        assertSame(own, mailboxOf(new MailboxConfig(), WorkloadType.IO_BOUND, (config, workload) -> own));
    }
}
