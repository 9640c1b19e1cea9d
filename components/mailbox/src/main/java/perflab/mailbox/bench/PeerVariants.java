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

    /** One array of all its slots for each actor: 10,000 actors at the usual capacity would take 650 MB. */
    private static final List<String> FOR_ARRAYS = Scenarios.namesWithout(List.of(Scenarios.LIVE));

    private static final List<String> FOR_SYSTEMS = Scenarios.namesWithout(List.of(Scenarios.OFFER_POLL));

    /** A ring's slots are objects, made beforehand: 4 GB. */
    private static final List<String> FOR_RINGS = Scenarios.namesWithout(List.of(Scenarios.OFFER_POLL, Scenarios.LIVE));

    private static final String CHANNEL_SOURCE = "src/main/kotlin/perflab/mailbox/peer/ChannelActors.kt";

    private PeerVariants() {}

    static List<Variant<Design>> all() {
        return List.of(
                array(
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
                array(
                        "jctools-array",
                        "JCTools MpscArrayQueue(10,000), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsArray,
                        BareQueues::jctoolsArray),
                array(
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
                        FOR_RINGS,
                        DisruptorActors::new),
                system(
                        "pekko",
                        "Apache Pekko typed actors, default mailbox and dispatcher",
                        Variants.source(PekkoActors.class),
                        FOR_SYSTEMS,
                        capacity -> PekkoActors.unbounded()),
                system(
                        "pekko-bounded",
                        "Apache Pekko typed actors, BoundedMailbox(10,000): a sender waits for room",
                        Variants.source(PekkoActors.class),
                        FOR_SYSTEMS,
                        PekkoActors::bounded),
                system(
                        "kotlin-channel",
                        "kotlinx.coroutines: a coroutine for each actor, over an unlimited Channel",
                        CHANNEL_SOURCE,
                        FOR_SYSTEMS,
                        capacity -> new ChannelActors(Channel.UNLIMITED)),
                system(
                        "kotlin-channel-bounded",
                        "kotlinx.coroutines: a coroutine for each actor, over a Channel(10,000)",
                        CHANNEL_SOURCE,
                        FOR_SYSTEMS,
                        ChannelActors::new));
    }

    private static Variant<Design> system(
            String name,
            String description,
            String source,
            List<String> scenarios,
            IntFunction<ActorSystem> ofCapacity) {
        return new Variant<>(name, Role.PEER, description, source, new SystemDesign(name, ofCapacity), scenarios);
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

    private static Variant<Design> array(
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
                MailboxDesign.bounded(mailboxes, ofCapacity, PollLoop.UNTIMED),
                FOR_ARRAYS);
    }
}
