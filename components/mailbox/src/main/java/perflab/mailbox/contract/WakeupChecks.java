package perflab.mailbox.contract;

import static perflab.bench.Check.require;
import static perflab.mailbox.contract.MailboxContract.LOST_AFTER_MS;

import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import perflab.mailbox.Mailbox;

/** The liveness of a waiting consumer. */
final class WakeupChecks {

    private static final long FAR_AWAY_S = 60;
    private static final int MANY = 2_000;

    private WakeupChecks() {}

    static void takeIsWoken(Mailbox<Integer> mailbox) throws Exception {
        requireWoken(mailbox, mailbox::take);
    }

    static void pollIsWoken(Mailbox<Integer> mailbox) throws Exception {
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
    static void noneOfManyIsLost(Mailbox<Integer> mailbox) throws Exception {
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

    static void takeIsInterrupted(Mailbox<Integer> mailbox) throws Exception {
        Waiting.requireInterruptible("consumer", mailbox::take);
    }

    static void pollIsInterrupted(Mailbox<Integer> mailbox) throws Exception {
        Waiting.requireInterruptible("consumer", () -> mailbox.poll(FAR_AWAY_S, TimeUnit.SECONDS));
    }

    static void worksAfterInterrupt(Mailbox<Integer> mailbox) throws Exception {
        Waiting.requireInterruptible("consumer", mailbox::take);
        requireWoken(mailbox, mailbox::take);
    }
}
