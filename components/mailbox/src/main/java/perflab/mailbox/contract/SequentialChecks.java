package perflab.mailbox.contract;

import static perflab.bench.Check.require;
import static perflab.mailbox.contract.MailboxContract.fill;
import static perflab.mailbox.contract.MailboxContract.isBounded;
import static perflab.mailbox.contract.MailboxContract.requireNext;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/** What one thread alone can see of the contract. */
final class SequentialChecks {

    /** More messages than any of the chunks and initial sizes here, and fewer than any capacity but a test's own. */
    private static final int SEVERAL = 300;

    private SequentialChecks() {}

    static void nullIsRejected(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        requireRejected(() -> mailbox.offer(null), "offer(null)");
        requireRejected(() -> mailbox.offer(null, 1, TimeUnit.MILLISECONDS), "offer(null, 1 ms)");
        require(mailbox.size() == 0, "a null was rejected and counted");
    }

    static void requireRejected(Callable<?> call, String name) throws Exception {
        try {
            call.call();
        } catch (NullPointerException expected) {
            return;
        }
        throw new AssertionError(name + " threw nothing");
    }

    static void firstInFirstOut(MailboxFactory mailboxes) throws InterruptedException {
        Mailbox<Integer> mailbox = mailboxes.create();
        int count = Math.min(SEVERAL, mailbox.capacity());
        for (int i = 0; i < count; i++) {
            require(mailbox.offer(i), "message " + i + " was refused by a mailbox of capacity " + mailbox.capacity());
        }
        for (int i = 0; i < count; i++) {
            requireNext(mailbox, i);
        }
    }

    static void pollTimesOut(MailboxFactory mailboxes) throws InterruptedException {
        Mailbox<Integer> mailbox = mailboxes.create();
        require(mailbox.poll(0, TimeUnit.MILLISECONDS) == null, "poll(0) brought a message nobody sent");
        require(mailbox.poll(-1, TimeUnit.MILLISECONDS) == null, "poll(-1) brought a message nobody sent");
        require(mailbox.poll(5, TimeUnit.MILLISECONDS) == null, "poll(5 ms) brought a message nobody sent");
        mailbox.offer(1);
        requireNext(mailbox, 1);
    }

    static void drainIsBounded(MailboxFactory mailboxes) {
        Mailbox<Integer> mailbox = mailboxes.create();
        int count = Math.min(20, mailbox.capacity());
        IntStream.range(0, count).forEach(mailbox::offer);
        int first = count / 2;
        List<Integer> sink = new ArrayList<>();
        require(mailbox.drainTo(sink, 0) == 0 && sink.isEmpty(), "drainTo(0) moved " + sink);
        require(mailbox.drainTo(sink, first) == first, "drainTo(" + first + ") moved " + sink);
        require(mailbox.drainTo(sink, SEVERAL) == count - first, "the second drainTo left " + sink);
        require(mailbox.drainTo(sink, SEVERAL) == 0, "drainTo moved something out of an empty mailbox");
        require(sink.equals(IntStream.range(0, count).boxed().toList()), "out of order: " + sink);
    }

    static void fullRefuses(MailboxFactory mailboxes) throws InterruptedException {
        Mailbox<Integer> mailbox = mailboxes.create();
        if (!isBounded(mailbox)) {
            return;
        }
        int capacity = mailbox.capacity();
        fill(mailbox);
        require(!mailbox.offer(capacity), "message " + capacity + " was accepted beyond the capacity");
        requireNext(mailbox, 0);
        require(mailbox.offer(capacity), "there was room again, and the offer was refused");
        for (int i = 1; i <= capacity; i++) {
            requireNext(mailbox, i);
        }
        require(mailbox.poll(0, TimeUnit.MILLISECONDS) == null, "the refused message arrived");
    }

    static void sizeCounts(MailboxFactory mailboxes) throws InterruptedException {
        Mailbox<Integer> mailbox = mailboxes.create();
        require(mailbox.size() == 0, "a new mailbox holds " + mailbox.size());
        mailbox.offer(1);
        require(mailbox.size() == 1, "after one offer it holds " + mailbox.size());
        requireNext(mailbox, 1);
        require(mailbox.size() == 0, "after its poll it holds " + mailbox.size());
    }
}
