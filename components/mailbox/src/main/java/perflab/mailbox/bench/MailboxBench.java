package perflab.mailbox.bench;

import perflab.bench.Bench;
import perflab.bench.Check;
import perflab.bench.Role;
import perflab.bench.Variant;
import perflab.mailbox.LinkedMailbox;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;
import perflab.mailbox.MpscPublishedMailbox;
import perflab.mailbox.MpscRepairedMailbox;
import perflab.mailbox.MpscXaddMailbox;
import perflab.mailbox.ResizableMailbox;
import perflab.mailbox.actor.PollLoop;
import perflab.mailbox.contract.MailboxContract;
import perflab.mailbox.peer.BareQueues;
import perflab.mailbox.peer.JctoolsBlockingMailbox;
import perflab.mailbox.peer.TransferMailbox;

/** The bench program of the component. */
public final class MailboxBench {

    private static final PollLoop BEFORE = new PollLoop(100, true);
    private static final PollLoop AFTER = new PollLoop(1, false);

    private MailboxBench() {}

    public static void main(String[] args) {
        bench().main(args);
    }

    @SuppressWarnings("rawtypes") // the class literal of a generic interface names its raw type
    static Bench<Design> bench() {
        return Bench.<Design>of("mailbox")
                .scenario(new BurstScenario())
                .scenario(WakeupScenario.ofOneMessage())
                .scenario(WakeupScenario.ofFirstBurst())
                .scenario(new IdleScenario())
                .scenario(new OfferPollScenario())
                .variant(variant(
                        "resizable",
                        Role.BEFORE,
                        "an ArrayBlockingQueue that doubles from 64 to 10,000 under a monitor; poll 100 ms, then yield",
                        ResizableMailbox.class,
                        ResizableMailbox::new,
                        BEFORE))
                .variant(variant(
                        "linked",
                        Role.AFTER,
                        "LinkedBlockingQueue(10,000); poll 1 ms",
                        LinkedMailbox.class,
                        LinkedMailbox::new,
                        AFTER))
                .variant(variant(
                        "mpsc-published",
                        Role.AFTER,
                        "JCTools MpscUnboundedArrayQueue(128) with the published wake-up, which is lost; poll 1 ms",
                        MpscPublishedMailbox.class,
                        MpscPublishedMailbox::new,
                        AFTER))
                .variant(variant(
                        "jctools-blocking",
                        Role.PEER,
                        "JCTools MpscBlockingConsumerArrayQueue(10,000); waits without timeout",
                        JctoolsBlockingMailbox.class,
                        JctoolsBlockingMailbox::new,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "jctools-mpsc",
                        Role.PEER,
                        "JCTools MpscUnboundedArrayQueue(128), bare; the actor spins, yields, then parks for up to 1 ms",
                        BareQueues.class,
                        BareQueues::jctoolsMpsc,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "jctools-xadd",
                        Role.PEER,
                        "JCTools MpscUnboundedXaddArrayQueue(1024), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsXadd,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "jctools-array",
                        Role.PEER,
                        "JCTools MpscArrayQueue(10,000), bare; idles in the same way",
                        BareQueues.class,
                        BareQueues::jctoolsArray,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "agrona",
                        Role.PEER,
                        "Agrona ManyToOneConcurrentArrayQueue(10,000); idles in the same way",
                        BareQueues.class,
                        BareQueues::agrona,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "transfer-queue",
                        Role.PEER,
                        "the JDK's LinkedTransferQueue; waits without timeout",
                        TransferMailbox.class,
                        TransferMailbox::new,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "mpsc-repaired",
                        Role.LAB,
                        "JCTools MpscUnboundedArrayQueue(128) with a wake-up that is not lost; waits without timeout",
                        MpscRepairedMailbox.class,
                        MpscRepairedMailbox::new,
                        PollLoop.UNTIMED))
                .variant(variant(
                        "mpsc-xadd",
                        Role.LAB,
                        "JCTools MpscUnboundedXaddArrayQueue(1024) with the repaired wake-up; waits without timeout",
                        MpscXaddMailbox.class,
                        MpscXaddMailbox::new,
                        PollLoop.UNTIMED))
                .contract(MailboxContract.checks().stream()
                        .map(MailboxBench::onDesign)
                        .toList())
                .plugIns(Mailbox.class, instances -> Design.pluggedIn(instances::get));
    }

    private static Check<Design> onDesign(Check<MailboxFactory> check) {
        return new Check<>(check.name(), design -> check.body().run(design.mailboxes()));
    }

    private static Variant<Design> variant(
            String name, Role role, String description, Class<?> source, MailboxFactory mailboxes, PollLoop loop) {
        String path = "src/main/java/" + source.getName().replace('.', '/') + ".java";
        return new Variant<>(name, role, description, path, new Design(mailboxes, loop));
    }
}
