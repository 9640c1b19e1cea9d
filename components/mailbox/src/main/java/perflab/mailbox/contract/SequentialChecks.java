package perflab.mailbox.contract;

import static perflab.bench.Check.require;
import static perflab.mailbox.contract.MailboxContract.fill;
import static perflab.mailbox.contract.MailboxContract.requireEmpty;
import static perflab.mailbox.contract.MailboxContract.requireNext;
import static perflab.mailbox.contract.MailboxContract.requireNumbers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import perflab.mailbox.Mailbox;

/** What one thread alone can see of the contract. */
final class SequentialChecks {

    /** More messages than the small chunks and initial sizes here, and fewer than any capacity but a test's own. */
    private static final int SEVERAL = 300;

    /** More messages than any of the chunks and initial sizes here. */
    private static final int LARGE_BATCH = 3_000;

    private SequentialChecks() {}

    static void nullIsRejected(Mailbox<Integer> mailbox) throws Exception {
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

    static void firstInFirstOut(Mailbox<Integer> mailbox) throws InterruptedException {
        int count = Math.min(SEVERAL, mailbox.capacity());
        for (int i = 0; i < count; i++) {
            require(mailbox.offer(i), "message " + i + " was refused by a mailbox of capacity " + mailbox.capacity());
        }
        requireNumbers(mailbox, 0, count);
    }

    static void pollTimesOut(Mailbox<Integer> mailbox) throws InterruptedException {
        require(mailbox.poll(0, TimeUnit.MILLISECONDS) == null, "poll(0) brought a message nobody sent");
        require(mailbox.poll(-1, TimeUnit.MILLISECONDS) == null, "poll(-1) brought a message nobody sent");
        require(mailbox.poll(5, TimeUnit.MILLISECONDS) == null, "poll(5 ms) brought a message nobody sent");
        mailbox.offer(1);
        requireNext(mailbox, 1);
    }

    static void drainIsBounded(Mailbox<Integer> mailbox) {
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

    static void fullRefuses(Mailbox<Integer> mailbox) throws InterruptedException {
        int capacity = mailbox.capacity();
        fill(mailbox);
        require(!mailbox.offer(capacity), "message " + capacity + " was accepted beyond the capacity");
        requireNext(mailbox, 0);
        require(mailbox.offer(capacity), "there was room again, and the offer was refused");
        requireNumbers(mailbox, 1, capacity + 1);
        requireEmpty(mailbox);
    }

    static void sizeCounts(Mailbox<Integer> mailbox) throws InterruptedException {
        require(mailbox.size() == 0, "a new mailbox holds " + mailbox.size());
        mailbox.offer(1);
        require(mailbox.size() == 1, "after one offer it holds " + mailbox.size());
        requireNext(mailbox, 1);
        require(mailbox.size() == 0, "after its poll it holds " + mailbox.size());
    }

    static void batchIsAcceptedInOrder(Mailbox<Integer> mailbox) throws InterruptedException {
        require(mailbox.offerAll(List.of()) == 0, "an empty batch was accepted as a message");
        int count = Math.min(LARGE_BATCH, mailbox.capacity());
        mailbox.offer(0);
        int accepted = mailbox.offerAll(numbers(1, count));
        require(accepted == count - 1, "of " + (count - 1) + " messages " + accepted + " were accepted");
        require(mailbox.size() == count, "after " + count + " messages it holds " + mailbox.size());
        requireNumbers(mailbox, 0, count);
        requireEmpty(mailbox);
    }

    static void batchWithNullIsRejected(Mailbox<Integer> mailbox) throws Exception {
        requireRejected(() -> mailbox.offerAll(Arrays.asList(1, null)), "offerAll([1, null])");
        requireEmpty(mailbox);
        mailbox.offer(2);
        requireNext(mailbox, 2);
    }

    static void firstOfBatchAreAccepted(Mailbox<Integer> mailbox) throws InterruptedException {
        int capacity = mailbox.capacity();
        int tooMany = capacity + 2;
        int accepted = mailbox.offerAll(numbers(0, tooMany));
        require(accepted == capacity, "of " + tooMany + " messages " + accepted + " fit into " + capacity);
        require(mailbox.offerAll(numbers(accepted, tooMany)) == 0, "a full mailbox accepted a batch");
        requireNext(mailbox, 0);
        require(mailbox.offerAll(numbers(accepted, tooMany)) == 1, "there was room for one message of the batch");
        requireNumbers(mailbox, 1, capacity + 1);
        requireEmpty(mailbox);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }
}
