package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import perflab.bench.Check;
import perflab.mailbox.contract.MailboxContract;

/** The contract suite; one subclass per mailbox. The bench program's {@code contract} command runs the same checks. */
abstract class MailboxContractTest {

    private static final long LIMIT_MS = 30_000;

    abstract MailboxFactory mailboxes();

    /** Statements that this mailbox is known to break: the suite fails if it breaks one less, too. */
    Set<String> broken() {
        return Set.of();
    }

    @TestFactory
    Stream<DynamicTest> contract() {
        return MailboxContract.checks().stream()
                .map(check -> DynamicTest.dynamicTest(check.name(), () -> {
                    if (broken().contains(check.name())) {
                        assertThrows(
                                AssertionError.class, () -> check.run(mailboxes(), LIMIT_MS), "not broken any more");
                    } else {
                        check.run(mailboxes(), LIMIT_MS);
                    }
                }));
    }

    @Test
    void whatIsKnownToBeBrokenIsInTheContract() {
        List<String> statements =
                MailboxContract.checks().stream().map(Check::name).toList();
        assertTrue(statements.containsAll(broken()), "unknown: " + broken());
    }
}
