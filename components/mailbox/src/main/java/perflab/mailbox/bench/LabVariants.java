package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.MpscRepairedMailbox;
import perflab.mailbox.MpscXaddMailbox;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.lab.BoundedMailbox;
import perflab.mailbox.lab.UnboundedMailbox;

/** This project's own: the repair, and what goes beyond it. */
final class LabVariants {

    private LabVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                new Variant<>(
                        "mpsc-repaired",
                        Role.LAB,
                        "JCTools MpscUnboundedArrayQueue(128) with a wake-up that is not lost; waits without timeout",
                        Variants.source(MpscRepairedMailbox.class),
                        MailboxDesign.unbounded(MpscRepairedMailbox::new, PollLoop.UNTIMED)),
                new Variant<>(
                        "mpsc-xadd",
                        Role.LAB,
                        "JCTools MpscUnboundedXaddArrayQueue(1024) with the repaired wake-up; waits without timeout",
                        Variants.source(MpscXaddMailbox.class),
                        MailboxDesign.unbounded(MpscXaddMailbox::new, PollLoop.UNTIMED)),
                new Variant<>(
                        "lab",
                        Role.LAB,
                        "fetch-and-add on chunks that grow from 8 to 1024, adaptive spin, then park; waits without timeout",
                        Variants.source(UnboundedMailbox.class),
                        MailboxDesign.unbounded(UnboundedMailbox::new, PollLoop.UNTIMED)),
                new Variant<>(
                        "lab-bounded",
                        Role.LAB,
                        "the same, 10,000 messages at most; waits without timeout",
                        Variants.source(BoundedMailbox.class),
                        MailboxDesign.bounded(BoundedMailbox::new, BoundedMailbox::new, PollLoop.UNTIMED)));
    }
}
