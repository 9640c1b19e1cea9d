package perflab.mailbox.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import perflab.bench.Check;

/** A call that is expected to wait, on a thread of its own, so that the caller can see whether it does. */
public final class Waiting<T> implements AutoCloseable {

    private static final long REST_LIMIT_MS = 10_000;

    private final FutureTask<T> task;
    private final Thread thread;

    private Waiting(FutureTask<T> task) {
        this.task = task;
        this.thread = Thread.ofPlatform().daemon().name("waiting").start(task);
    }

    /**
     * Starts the call and returns once its thread waits or has ended.
     *
     * @throws AssertionError if it does neither: it spins
     */
    public static <T> Waiting<T> on(Callable<T> call) throws InterruptedException {
        Waiting<T> waiting = new Waiting<>(new FutureTask<>(call));
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REST_LIMIT_MS);
        while (!waiting.isAtRest()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the consumer spins instead of waiting");
            }
            Thread.sleep(1);
        }
        return waiting;
    }

    private boolean isAtRest() {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            default -> false;
        };
    }

    /** Whether the call has not returned within the time, in milliseconds. */
    public boolean isStuckFor(long limitMs) throws InterruptedException, ExecutionException {
        try {
            task.get(limitMs, TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        }
    }

    /** What the call returns. */
    public T result(long limitMs) throws InterruptedException, ExecutionException, TimeoutException {
        return task.get(limitMs, TimeUnit.MILLISECONDS);
    }

    /** Demands that an interrupt ends a call that waits. */
    static void requireInterruptible(String who, Callable<?> call) throws Exception {
        try (Waiting<?> waiting = on(call)) {
            waiting.interrupt();
            Object returned = waiting.result(MailboxContract.LOST_AFTER_MS);
            throw new AssertionError("an interrupted " + who + " returned " + returned);
        } catch (ExecutionException e) {
            Check.require(
                    e.getCause() instanceof InterruptedException, "an interrupted " + who + " threw " + e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("an interrupted " + who + " still waits", e);
        }
    }

    public void interrupt() {
        thread.interrupt();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
