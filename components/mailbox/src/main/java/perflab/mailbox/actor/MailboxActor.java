package perflab.mailbox.actor;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import perflab.mailbox.Mailbox;

/** A mailbox and the thread that empties it. */
final class MailboxActor<M> implements ActorRef<M> {

    private static final long IDLE_CHECK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Mailbox<M> mailbox;
    private final Processor<M> processor;
    private final Thread thread;

    MailboxActor(Mailbox<M> mailbox, Processor<M> processor, Thread thread) {
        this.mailbox = mailbox;
        this.processor = processor;
        this.thread = thread;
    }

    void start() {
        thread.start();
    }

    @Override
    public boolean tell(M message) {
        return mailbox.offer(message);
    }

    @Override
    public int tellAll(List<? extends M> messages) {
        return mailbox.offerAll(messages);
    }

    @Override
    public OptionalInt backlog() {
        return OptionalInt.of(mailbox.size());
    }

    @Override
    public OptionalLong emptyPolls() {
        return OptionalLong.of(processor.emptyPolls());
    }

    @Override
    public boolean isAlive() {
        return thread.isAlive();
    }

    @Override
    public boolean awaitIdle(long timeoutMs) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!isWaiting()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            LockSupport.parkNanos(IDLE_CHECK_NS);
        }
        return true;
    }

    private boolean isWaiting() {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING -> true;
            default -> false;
        };
    }

    /**
     * Ends the loop after the batch in hand; messages that it has not taken stay in the mailbox, which then refuses all that come
     * later, if it can.
     */
    @Override
    public void stop() {
        processor.stop();
        thread.interrupt();
    }

    @Override
    public void close() {
        stop();
        ActorRef.awaitEnd(thread);
    }
}
