package perflab.mailbox.actor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;

/**
 * A mailbox and the thread that empties it.
 *
 * @param <E> the type of the messages
 */
public final class Actor<E> implements AutoCloseable {

    private static final long STOP_LIMIT_MS = 5_000;
    private static final long IDLE_CHECK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Mailbox<E> mailbox;
    private final Processor<E> processor;
    private final Thread thread;

    private Actor(Mailbox<E> mailbox, Processor<E> processor, Thread thread) {
        this.mailbox = mailbox;
        this.processor = processor;
        this.thread = thread;
    }

    /** Starts an actor; the handler runs on its thread alone. */
    public static <E> Actor<E> start(Mailbox<E> mailbox, PollLoop loop, ThreadKind kind, Consumer<? super E> handler) {
        Processor<E> processor = new Processor<>(mailbox, loop, handler);
        return new Actor<>(mailbox, processor, kind.start("actor", processor));
    }

    /**
     * Sends a message.
     *
     * @return false if the mailbox refused it; Cajun's own tell drops this answer
     */
    public boolean tell(E message) {
        return mailbox.offer(message);
    }

    public Mailbox<E> mailbox() {
        return mailbox;
    }

    /** Whether the actor's thread is still there; it ends early only if the mailbox or the handler threw. */
    public boolean isAlive() {
        return thread.isAlive();
    }

    /**
     * Waits until the actor waits for a message.
     *
     * @return false if it did not come to rest in time
     */
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

    /** Stops the actor and waits for its thread; messages that it has not taken stay in the mailbox. */
    @Override
    public void close() {
        processor.stop();
        thread.interrupt();
        try {
            if (!thread.join(java.time.Duration.ofMillis(STOP_LIMIT_MS))) {
                throw new IllegalStateException("the actor did not stop within " + STOP_LIMIT_MS + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
