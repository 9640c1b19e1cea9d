package perflab.mailbox.contract;

import static perflab.bench.Check.require;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/** Exactly once, and in each producer's order. */
final class DeliveryChecks {

    private static final int MESSAGES_EACH = 2_000;
    private static final int DRAINED_AT_ONCE = 9;

    /** The poll's own timeout bounds a lost wake-up here: this check is about delivery, others are about waking. */
    private static final long POLL_MS = 10;

    /**
     * How long a refused producer waits. It has to park: virtual threads that only yield keep their carriers busy with each
     * other, and one among them that was unparked with the queue's lock in its hands may never be mounted again.
     */
    private static final long RETRY_NS = 1_000;

    private static final int EMPTY_POLLS_AT_MOST = 500;

    private DeliveryChecks() {}

    private record Message(int producer, int sequence) {}

    static void manyProducers(MailboxFactory mailboxes) throws InterruptedException {
        deliver(
                mailboxes.create(),
                4 * Runtime.getRuntime().availableProcessors(),
                Thread.ofPlatform().daemon());
    }

    static void virtualThreads(MailboxFactory mailboxes) throws InterruptedException {
        deliver(mailboxes.create(), 4 * Runtime.getRuntime().availableProcessors(), Thread.ofVirtual());
    }

    private static void deliver(Mailbox<Message> mailbox, int producers, Thread.Builder threads)
            throws InterruptedException {
        List<Thread> senders = new ArrayList<>();
        for (int producer = 0; producer < producers; producer++) {
            int number = producer;
            senders.add(threads.start(() -> send(mailbox, number)));
        }
        try {
            receive(mailbox, producers);
        } finally {
            senders.forEach(Thread::interrupt);
        }
        require(mailbox.poll(POLL_MS, TimeUnit.MILLISECONDS) == null, "a message came twice");
    }

    private static void send(Mailbox<Message> mailbox, int producer) {
        for (int sequence = 0; sequence < MESSAGES_EACH; sequence++) {
            Message message = new Message(producer, sequence);
            while (!mailbox.offer(message)) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                LockSupport.parkNanos(RETRY_NS);
            }
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
