package perflab.mailbox.bench;

import java.util.List;
import java.util.function.IntFunction;
import kotlinx.coroutines.channels.Channel;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.actor.ActorSystem;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.peer.BareQueues;
import perflab.mailbox.peer.ChannelActors;
import perflab.mailbox.peer.DisruptorActors;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.PekkoActors;
import perflab.mailbox.peer.TransferMailbox;

/** What a user would pick instead. */
final class PeerVariants {

    /** All but those that need a mailbox by itself. */
    private static final List<String> SCENARIOS_OF_ACTORS = List.of("burst", "wakeup", "wakeup-burst", "idle");

    private static final String CHANNEL_SOURCE = "src/main/kotlin/perflab/mailbox/peer/ChannelActors.kt";

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
                        TransferMailbox::new),
                system(
                        "disruptor",
                        "LMAX Disruptor(10,000), blocking; an event handler on a platform thread for each actor",
                        Variants.source(DisruptorActors.class),
                        DisruptorActors::new),
                system(
                        "pekko",
                        "Apache Pekko typed actors, default mailbox and dispatcher",
                        Variants.source(PekkoActors.class),
                        capacity -> PekkoActors.unbounded()),
                system(
                        "pekko-bounded",
                        "Apache Pekko typed actors, BoundedMailbox(10,000): a sender waits for room",
                        Variants.source(PekkoActors.class),
                        PekkoActors::bounded),
                system(
                        "kotlin-channel",
                        "kotlinx.coroutines: a coroutine for each actor, over an unlimited Channel",
                        CHANNEL_SOURCE,
                        capacity -> new ChannelActors(Channel.UNLIMITED)),
                system(
                        "kotlin-channel-bounded",
                        "kotlinx.coroutines: a coroutine for each actor, over a Channel(10,000)",
                        CHANNEL_SOURCE,
                        ChannelActors::new));
    }

    private static Variant<Design> system(
            String name, String description, String source, IntFunction<ActorSystem> ofCapacity) {
        return new Variant<>(
                name, Role.PEER, description, source, new SystemDesign(name, ofCapacity), SCENARIOS_OF_ACTORS);
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
