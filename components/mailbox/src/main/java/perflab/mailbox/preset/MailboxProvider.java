package perflab.mailbox.preset;

import java.util.OptionalInt;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.MpscPublishedMailbox;

/** Selects the mailbox of a new actor. */
@FunctionalInterface
public interface MailboxProvider {

    /** The bound of a mailbox for which nobody asked for another one. */
    int DEFAULT_CAPACITY = 10_000;

    /**
     * Selects.
     *
     * @param capacity what the user configured; empty if nothing
     */
    MailboxFactory select(OptionalInt capacity, Workload workload);

    /** The report's table (section 5, "Workload-Specific Mailbox Selection"). What the user configured goes before it. */
    MailboxProvider OF_THE_REPORT = (capacity, workload) -> {
        if (capacity.isPresent()) {
            return linked(capacity.getAsInt());
        }
        return switch (workload) {
            case CPU_BOUND -> MpscPublishedMailbox::new;
            case IO_BOUND, MIXED -> linked(DEFAULT_CAPACITY);
        };
    };

    /**
     * As published: the builder fills in its default configuration before it asks, so the user seems to have configured
     * something each time, and the workload is never looked at.
     */
    MailboxProvider AS_PUBLISHED =
            (capacity, workload) -> OF_THE_REPORT.select(OptionalInt.of(capacity.orElse(DEFAULT_CAPACITY)), workload);

    private static MailboxFactory linked(int capacity) {
        MailboxFactory.Bounded linked = LinkedMailbox::new;
        return linked.ofCapacity(capacity);
    }
}
