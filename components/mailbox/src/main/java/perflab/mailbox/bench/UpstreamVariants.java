package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.MpscPublishedMailbox;
import perflab.mailbox.ResizableMailbox;
import perflab.mailbox.actor.AskStyle;
import perflab.mailbox.actor.PollLoop;

/** What the report describes: Cajun before and after. */
final class UpstreamVariants {

    private static final PollLoop BEFORE = new PollLoop(100, true);
    private static final PollLoop AFTER = new PollLoop(1, false);

    /** The variants of other roles ask by a promise, so in {@code ask} they differ from these by more than the mailbox. */
    private static final String ASKS = "; an actor for each question";

    private UpstreamVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                new Variant<>(
                        "resizable",
                        Role.BEFORE,
                        "an ArrayBlockingQueue that doubles from 64 to 10,000 under a monitor; poll 100 ms, then yield"
                                + ASKS,
                        Variants.source(ResizableMailbox.class),
                        MailboxDesign.bounded(ResizableMailbox::new, ResizableMailbox::ofCapacity, BEFORE)
                                .asking(AskStyle.TEMPORARY_ACTOR)),
                new Variant<>(
                        "linked",
                        Role.AFTER,
                        "LinkedBlockingQueue(10,000); poll 1 ms" + ASKS,
                        Variants.source(LinkedMailbox.class),
                        MailboxDesign.bounded(LinkedMailbox::new, LinkedMailbox::new, AFTER)
                                .asking(AskStyle.TEMPORARY_ACTOR)),
                new Variant<>(
                        "mpsc-published",
                        Role.AFTER,
                        "JCTools MpscUnboundedArrayQueue(128) with the published wake-up, which is lost; poll 1 ms"
                                + ASKS,
                        Variants.source(MpscPublishedMailbox.class),
                        MailboxDesign.unbounded(MpscPublishedMailbox::new, AFTER)
                                .asking(AskStyle.TEMPORARY_ACTOR)));
    }
}
