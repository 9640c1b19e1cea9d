package perflab.mailbox.contract;

import static perflab.bench.Check.require;
import static perflab.mailbox.contract.MailboxContract.LOST_AFTER_MS;
import static perflab.mailbox.contract.MailboxContract.fill;
import static perflab.mailbox.contract.MailboxContract.isBounded;
import static perflab.mailbox.contract.MailboxContract.requireEmpty;
import static perflab.mailbox.contract.MailboxContract.requireNext;
import static perflab.mailbox.contract.MailboxContract.requireNumbers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import perflab.mailbox.Mailbox;

/** The liveness of a producer that waits for room. A mailbox without a bound never lets one wait. */
final class RoomChecks {

    private static final long FAR_AWAY_S = 60;
    private static final int MANY = 8;

    private RoomChecks() {}

    static void offerTimesOut(Mailbox<Integer> mailbox) throws InterruptedException {
        require(mailbox.offer(-1, 0, TimeUnit.MILLISECONDS), "a timed offer was refused although there was room");
        requireNext(mailbox, -1);
        if (!isBounded(mailbox)) {
            return;
        }
        fill(mailbox);
        require(!mailbox.offer(-2, 0, TimeUnit.MILLISECONDS), "offer(0 ms) was accepted beyond the capacity");
        require(!mailbox.offer(-2, -1, TimeUnit.MILLISECONDS), "offer(-1 ms) was accepted beyond the capacity");
        require(!mailbox.offer(-2, 5, TimeUnit.MILLISECONDS), "offer(5 ms) was accepted beyond the capacity");
        requireNumbers(mailbox, 0, mailbox.capacity());
        requireEmpty(mailbox);
    }

    static void offerIsWoken(Mailbox<Integer> mailbox) throws Exception {
        int capacity = mailbox.capacity();
        fill(mailbox);
        requireAcceptedAfter(mailbox, () -> requireNext(mailbox, 0));
        requireNumbers(mailbox, 1, capacity);
        requireNext(mailbox, capacity);

        fill(mailbox);
        requireAcceptedAfter(mailbox, () -> mailbox.drainTo(new ArrayList<>(), capacity));
        requireNext(mailbox, capacity);
    }

    private interface MakeRoom {
        void run() throws InterruptedException;
    }

    private static void requireAcceptedAfter(Mailbox<Integer> mailbox, MakeRoom makeRoom) throws Exception {
        int message = mailbox.capacity();
        try (Waiting<Boolean> producer = Waiting.on(() -> mailbox.offer(message, FAR_AWAY_S, TimeUnit.SECONDS))) {
            makeRoom.run();
            require(!producer.isStuckFor(LOST_AFTER_MS), "the producer still waits, and there is room");
            require(producer.result(0), "the waiting offer was refused");
        }
    }

    static void noneOfManyIsForgotten(Mailbox<Integer> mailbox) throws Exception {
        fill(mailbox);
        List<Waiting<Boolean>> producers = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                producers.add(Waiting.on(() -> mailbox.offer(-1, FAR_AWAY_S, TimeUnit.SECONDS)));
            }
            for (int i = 0; i < mailbox.capacity(); i++) {
                Integer message = pollAgainAndAgain(mailbox);
                require(message != null && message == i, message + " came in place of " + i);
                if (i == 0) {
                    requireEventuallyFull(mailbox);
                }
            }
            for (int i = 0; i < MANY; i++) {
                Integer message = pollAgainAndAgain(mailbox);
                require(message != null, (MANY - i) + " producers still wait, and the mailbox is empty");
                require(message == -1, message + " came in place of a waiting producer's");
            }
            for (Waiting<Boolean> producer : producers) {
                require(producer.result(LOST_AFTER_MS), "a waiting offer was refused");
            }
        } finally {
            producers.forEach(Waiting::close);
        }
    }

    /**
     * The next message, or null if none comes until it counts as lost. It is asked for anew each millisecond: an offer
     * beside a poll may replace {@link perflab.mailbox.ResizableMailbox}'s queue under it, and the poll then misses
     * what is there. That race has a test of its own; here the question is whether a producer is forgotten.
     */
    private static Integer pollAgainAndAgain(Mailbox<Integer> mailbox) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOST_AFTER_MS);
        Integer message;
        do {
            message = mailbox.poll(1, TimeUnit.MILLISECONDS);
        } while (message == null && System.nanoTime() < deadline);
        return message;
    }

    /** The room of one message is taken by one of those who wait. */
    private static void requireEventuallyFull(Mailbox<Integer> mailbox) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LOST_AFTER_MS);
        while (mailbox.size() < mailbox.capacity()) {
            require(System.nanoTime() < deadline, "nobody took the room that there was");
            Thread.sleep(1);
        }
    }

    static void offerIsInterrupted(Mailbox<Integer> mailbox) throws Exception {
        fill(mailbox);
        Waiting.requireInterruptible("producer", () -> mailbox.offer(-1, FAR_AWAY_S, TimeUnit.SECONDS));
        requireNumbers(mailbox, 0, mailbox.capacity());
        requireEmpty(mailbox);
    }
}
