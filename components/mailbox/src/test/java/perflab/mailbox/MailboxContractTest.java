package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static perflab.mailbox.lab.LabMailboxes.BEFORE_SIGNED_WRAPAROUND;
import static perflab.mailbox.lab.LabMailboxes.BEFORE_UNSIGNED_WRAPAROUND;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import perflab.bench.Check;
import perflab.mailbox.contract.MailboxContract;
import perflab.mailbox.lab.BoundedMailbox;
import perflab.mailbox.lab.LabMailboxes;
import perflab.mailbox.lab.UnboundedMailbox;
import perflab.mailbox.lab.WaitStrategy;
import perflab.mailbox.peer.AgronaMailbox;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.TransferMailbox;
import perflab.mailbox.technique.BatchEnvelopes;
import perflab.mailbox.technique.WrappedMailbox;
import perflab.mailbox.technique.Wrappers;

/** The contract suite for each mailbox. The bench program's {@code contract} command runs the same checks. */
class MailboxContractTest {

    private static final long LIMIT_MS = 30_000;

    /** Statements that a mailbox is known to break: the suite fails if it breaks one less, too. */
    private static final Map<String, Set<String>> BROKEN = Map.of(
            "mpsc-published",
            Set.of(
                    "a waiting take is woken by an offer",
                    "a waiting poll is woken by an offer",
                    "no wake-up of many is lost",
                    "a mailbox works on after an interrupt"),
            // A batch takes one place, whatever is in it.
            "in batches",
            Set.of(
                    "a batch is accepted in order", // it is, but its size counts as one
                    "of a batch that is too large the first messages are accepted"));

    private static Map<String, Supplier<Mailbox<?>>> mailboxes() {
        Map<String, Supplier<Mailbox<?>>> mailboxes = new LinkedHashMap<>();
        mailboxes.put("resizable", ResizableMailbox::new);
        mailboxes.put("resizable of one", () -> new ResizableMailbox<>(1, 1));
        mailboxes.put("resizable from one to two", () -> new ResizableMailbox<>(1, 2));
        mailboxes.put("linked", LinkedMailbox::new);
        mailboxes.put("linked of one", () -> new LinkedMailbox<>(1));
        mailboxes.put("linked of two", () -> new LinkedMailbox<>(2));
        mailboxes.put("mpsc-published", MpscPublishedMailbox::new);
        mailboxes.put("mpsc-repaired", MpscRepairedMailbox::new);
        mailboxes.put("jctools-blocking", JctoolsBlockingMailbox::new);
        mailboxes.put("jctools-blocking of two", () -> new JctoolsBlockingMailbox<>(2));
        mailboxes.put("agrona", AgronaMailbox::new); // by looking, not by being woken
        mailboxes.put("agrona of two", () -> new AgronaMailbox<>(2));
        mailboxes.put("transfer-queue", TransferMailbox::new);
        mailboxes.put("lab", UnboundedMailbox::new);
        mailboxes.put("lab-blocking", () -> new UnboundedMailbox<>(WaitStrategy.BLOCKING));
        mailboxes.put("lab in chunks of one", () -> LabMailboxes.unbounded(0, 1));
        mailboxes.put("lab before signed wraparound", () -> LabMailboxes.unbounded(BEFORE_SIGNED_WRAPAROUND, 4));
        mailboxes.put("lab before unsigned wraparound", () -> LabMailboxes.unbounded(BEFORE_UNSIGNED_WRAPAROUND, 4));
        mailboxes.put("bounded", () -> new BoundedMailbox<>(10_000));
        mailboxes.put("bounded of one", () -> LabMailboxes.bounded(0, 1, 1));
        mailboxes.put("bounded of two", () -> LabMailboxes.bounded(0, 2, 8));
        mailboxes.put("bounded of three", () -> LabMailboxes.bounded(0, 3, 2));
        mailboxes.put(
                "bounded of one before signed wraparound", () -> LabMailboxes.bounded(BEFORE_SIGNED_WRAPAROUND, 1, 4));
        mailboxes.put(
                "bounded of three before unsigned wraparound",
                () -> LabMailboxes.bounded(BEFORE_UNSIGNED_WRAPAROUND, 3, 4));
        mailboxes.put("in new wrappers", () -> new WrappedMailbox<>(new LinkedMailbox<>(), Wrappers.allocated()));
        Wrappers pool = Wrappers.pooled(4); // so small that it runs empty and overflows
        mailboxes.put("in pooled wrappers", () -> new WrappedMailbox<>(new LinkedMailbox<>(), pool));
        mailboxes.put("in batches", () -> new BatchEnvelopes<>(new LinkedMailbox<>()));
        return mailboxes;
    }

    @TestFactory
    Stream<DynamicContainer> contract() {
        List<Check<MailboxFactory>> checks = MailboxContract.checks();
        return mailboxes().entrySet().stream().map(mailbox -> {
            MailboxFactory factory = MailboxFactory.of(mailbox.getValue());
            Set<String> broken = BROKEN.getOrDefault(mailbox.getKey(), Set.of());
            assertTrue(checks.stream().map(Check::name).toList().containsAll(broken), "unknown: " + broken);
            return dynamicContainer(
                    mailbox.getKey(),
                    checks.stream()
                            .map(check -> dynamicTest(check.name(), () -> {
                                if (broken.contains(check.name())) {
                                    assertThrows(AssertionError.class, () -> check.run(factory, LIMIT_MS));
                                } else {
                                    check.run(factory, LIMIT_MS);
                                }
                            })));
        });
    }
}
