package perflab.mailbox.contract;

import static perflab.bench.Check.require;
import static perflab.mailbox.contract.MailboxContract.isBounded;
import static perflab.mailbox.contract.MailboxContract.requireNext;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/** What one thread alone can see of {@link Mailbox#offerAll}. */
final class BatchChecks {

    /** More messages than any of the chunks and initial sizes here. */
    private static final int SEVERAL = 3_000;

    private BatchChecks() {}

    static void acceptedInOrder(MailboxFactory mailboxes) throws InterruptedException {
        Mailbox<Integer> mailbox = mailboxes.create();
        require(mailbox.offerAll(List.of()) == 0, "an empty batch was accepted as a message");
        int count = Math.min(SEVERAL, mailbox.capacity());
        mailbox.offer(0);
        int accepted = mailbox.offerAll(numbers(1, count));
        require(accepted == count - 1, "of " + (count - 1) + " messages " + accepted + " were accepted");
        require(mailbox.size() == count, "after " + count + " messages it holds " + mailbox.size());
        for (int i = 0; i < count; i++) {
            requireNext(mailbox, i);
        }
        requireEmpty(mailbox);
    }

    static void nullRejectsAll(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        SequentialChecks.requireRejected(() -> mailbox.offerAll(Arrays.asList(1, null)), "offerAll([1, null])");
        requireEmpty(mailbox);
        mailbox.offer(2);
        requireNext(mailbox, 2);
    }

    static void prefixFits(MailboxFactory mailboxes) throws InterruptedException {
        Mailbox<Integer> mailbox = mailboxes.create();
        if (!isBounded(mailbox)) {
            return;
        }
        int capacity = mailbox.capacity();
        int tooMany = capacity + 2;
        int accepted = mailbox.offerAll(numbers(0, tooMany));
        require(accepted == capacity, "of " + tooMany + " messages " + accepted + " fit into " + capacity);
        require(mailbox.offerAll(numbers(accepted, tooMany)) == 0, "a full mailbox accepted a batch");
        requireNext(mailbox, 0);
        require(mailbox.offerAll(numbers(accepted, tooMany)) == 1, "there was room for one message of the batch");
        for (int i = 1; i <= capacity; i++) {
            requireNext(mailbox, i);
        }
        requireEmpty(mailbox);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    private static void requireEmpty(Mailbox<Integer> mailbox) throws InterruptedException {
        Integer message = mailbox.poll(0, TimeUnit.MILLISECONDS);
        require(message == null, message + " came, which was not accepted or had come before");
    }
}
