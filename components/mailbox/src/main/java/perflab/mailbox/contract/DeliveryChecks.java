package perflab.mailbox.contract;

import static perflab.bench.Check.require;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

final class DeliveryChecks {

    private static final int MESSAGES_EACH = 2_000;
    private static final int DRAINED_AT_ONCE = 9;
    private static final int LARGEST_BATCH = 50;
    private static final long FAR_AWAY_S = 60;

    /** The poll's own timeout bounds a lost wake-up here: this check is about delivery, others are about waking. */
    private static final long POLL_MS = 10;

    /**
     * How long a refused producer waits. It has to park: virtual threads that only yield keep their carriers busy with
     * each other, and one among them that was unparked with the queue's lock in its hands may never be mounted again.
     */
    private static final long RETRY_NS = 1_000;

    private static final int EMPTY_POLLS_AT_MOST = 500;

    private DeliveryChecks() {}

    private record Message(int producer, int sequence) {}

    /** How a producer gets a message into the mailbox; it gives up only if it is interrupted. */
    private interface Send {
        void all(Mailbox<Message> mailbox, int producer) throws InterruptedException;
    }

    static void manyProducers(MailboxFactory mailboxes) throws InterruptedException {
        deliver(mailboxes.create(), Thread.ofPlatform().daemon(), DeliveryChecks::oneByOne);
    }

    static void virtualThreads(MailboxFactory mailboxes) throws InterruptedException {
        deliver(mailboxes.create(), Thread.ofVirtual(), DeliveryChecks::oneByOne);
    }

    static void batches(MailboxFactory mailboxes) throws InterruptedException {
        deliver(mailboxes.create(), Thread.ofPlatform().daemon(), DeliveryChecks::inBatches);
    }

    static void waitingProducers(MailboxFactory mailboxes) throws InterruptedException {
        deliver(mailboxes.create(), Thread.ofPlatform().daemon(), DeliveryChecks::waitingForRoom);
    }

    private static void deliver(Mailbox<Message> mailbox, Thread.Builder threads, Send send)
            throws InterruptedException {
        int producers = 4 * Runtime.getRuntime().availableProcessors();
        List<Thread> senders = new ArrayList<>();
        for (int producer = 0; producer < producers; producer++) {
            int number = producer;
            senders.add(threads.start(() -> {
                try {
                    send.all(mailbox, number);
                } catch (InterruptedException e) {
                    // the check is over
                }
            }));
        }
        try {
            receive(mailbox, producers);
        } finally {
            senders.forEach(Thread::interrupt);
        }
        require(mailbox.poll(POLL_MS, TimeUnit.MILLISECONDS) == null, "a message came twice");
    }

    private static void oneByOne(Mailbox<Message> mailbox, int producer) throws InterruptedException {
        for (Message message : messages(producer)) {
            while (!mailbox.offer(message)) {
                pause();
            }
        }
    }

    private static void inBatches(Mailbox<Message> mailbox, int producer) throws InterruptedException {
        List<Message> left = messages(producer);
        for (int size = 1; !left.isEmpty(); size = size % LARGEST_BATCH + 1) {
            int accepted = mailbox.offerAll(left.subList(0, Math.min(size, left.size())));
            if (accepted == 0) {
                pause();
            }
            left = left.subList(accepted, left.size());
        }
    }

    private static void waitingForRoom(Mailbox<Message> mailbox, int producer) throws InterruptedException {
        for (Message message : messages(producer)) {
            require(mailbox.offer(message, FAR_AWAY_S, TimeUnit.SECONDS), "a waiting offer was refused");
        }
    }

    private static List<Message> messages(int producer) {
        return IntStream.range(0, MESSAGES_EACH)
                .mapToObj(sequence -> new Message(producer, sequence))
                .toList();
    }

    private static void pause() throws InterruptedException {
        LockSupport.parkNanos(RETRY_NS);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private static void receive(Mailbox<Message> mailbox, int producers) throws InterruptedException {
        int[] next = new int[producers];
        int left = producers * MESSAGES_EACH;
        int emptyPolls = 0;
        List<Message> batch = new ArrayList<>();
        while (left > 0) {
            Message first = mailbox.poll(POLL_MS, TimeUnit.MILLISECONDS);
            if (first == null) {
                require(++emptyPolls < EMPTY_POLLS_AT_MOST, left + " messages never came");
                continue;
            }
            batch.add(first);
            mailbox.drainTo(batch, DRAINED_AT_ONCE);
            for (Message message : batch) {
                int expected = next[message.producer()]++;
                require(
                        message.sequence() == expected,
                        "producer " + message.producer() + "'s message " + message.sequence() + " came in place of "
                                + expected);
            }
            left -= batch.size();
            batch.clear();
        }
    }
}
