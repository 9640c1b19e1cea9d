package perflab.mailbox.contract;

import static perflab.bench.Check.require;
import static perflab.mailbox.contract.MailboxContract.LOST_AFTER_MS;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import perflab.mailbox.Mailbox;
import perflab.mailbox.MailboxFactory;

/** The liveness of a waiting consumer. */
final class WakeupChecks {

    private static final long FAR_AWAY_S = 60;
    private static final int MANY = 2_000;

    private WakeupChecks() {}

    static void takeIsWoken(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        requireWoken(mailbox, mailbox::take);
    }

    static void pollIsWoken(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        requireWoken(mailbox, () -> mailbox.poll(FAR_AWAY_S, TimeUnit.SECONDS));
    }

    private static void requireWoken(Mailbox<Integer> mailbox, Callable<Integer> receive) throws Exception {
        try (Waiting<Integer> consumer = Waiting.on(receive)) {
            mailbox.offer(1);
            require(
                    !consumer.isStuckFor(LOST_AFTER_MS),
                    "the consumer still waits, with " + mailbox.size() + " message in the mailbox");
            require(consumer.result(0) == 1, "the consumer got " + consumer.result(0));
        }
    }

    /** Each message is sent after the one before was received: the consumer is waiting, or just about to. */
    static void noneOfManyIsLost(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        SynchronousQueue<Integer> received = new SynchronousQueue<>();
        Thread consumer = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    received.put(mailbox.take());
                }
            } catch (InterruptedException e) {
                // the check is over
            }
        });
        try {
            for (int i = 0; i < MANY; i++) {
                mailbox.offer(i);
                Integer message = received.poll(LOST_AFTER_MS, TimeUnit.MILLISECONDS);
                require(message != null, "wake-up " + i + " was lost");
                require(message == i, "wake-up " + i + " brought " + message);
            }
        } finally {
            consumer.interrupt();
        }
    }

    static void takeIsInterrupted(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        requireInterrupted(mailbox::take);
    }

    static void pollIsInterrupted(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        requireInterrupted(() -> mailbox.poll(FAR_AWAY_S, TimeUnit.SECONDS));
    }

    private static void requireInterrupted(Callable<Integer> receive) throws Exception {
        try (Waiting<Integer> consumer = Waiting.on(receive)) {
            consumer.interrupt();
            Integer message = consumer.result(LOST_AFTER_MS);
            throw new AssertionError("an interrupted consumer returned " + message);
        } catch (ExecutionException e) {
            require(e.getCause() instanceof InterruptedException, "an interrupted consumer threw " + e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("an interrupted consumer still waits", e);
        }
    }

    static void worksAfterInterrupt(MailboxFactory mailboxes) throws Exception {
        Mailbox<Integer> mailbox = mailboxes.create();
        requireInterrupted(mailbox::take);
        requireWoken(mailbox, mailbox::take);
    }
}
