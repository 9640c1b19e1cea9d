package perflab.mailbox.bench;

import java.util.List;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.peer.BareQueues;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.TransferMailbox;

/** What a user would pick instead. */
final class PeerVariants {

    private PeerVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                bounded(
                        "jctools-blocking",
                        "JCTools MpscBlockingConsumerArrayQueue(10,000); waits without timeout",
                        JctoolsBlockingMailbox.class,
                        JctoolsBlockingMailbox::new,
                        JctoolsBlockingMailbox::new),
                unbounded(
                        "jctools-mpsc",
                        "JCTools MpscUnboundedArrayQueue(128), bare; the actor spins, yields, then parks for up to 1 ms",
                        BareQueues.class,
                        BareQueues::jctoolsMpsc),
                unbounded(
                        "jctools-xadd",
                        "JCTools MpscUnboundedXaddArrayQueue(1024), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsXadd),
                bounded(
                        "jctools-array",
                        "JCTools MpscArrayQueue(10,000), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsArray,
                        BareQueues::jctoolsArray),
                bounded(
                        "agrona",
                        "Agrona ManyToOneConcurrentArrayQueue(10,000); idles in the same way",
                        BareQueues.class,
                        BareQueues::agrona,
                        BareQueues::agrona),
                unbounded(
                        "transfer-queue",
                        "the JDK's LinkedTransferQueue; waits without timeout",
                        TransferMailbox.class,
                        TransferMailbox::new));
    }

    private static Variant<Design> unbounded(
            String name, String description, Class<?> source, MailboxFactory mailboxes) {
        return new Variant<>(
                name,
                Role.PEER,
                description,
                Variants.source(source),
                MailboxDesign.unbounded(mailboxes, PollLoop.UNTIMED));
    }

    private static Variant<Design> bounded(
            String name,
            String description,
            Class<?> source,
            MailboxFactory mailboxes,
            MailboxFactory.Bounded ofCapacity) {
        return new Variant<>(
                name,
                Role.PEER,
                description,
                Variants.source(source),
                MailboxDesign.bounded(mailboxes, ofCapacity, PollLoop.UNTIMED));
    }
}
