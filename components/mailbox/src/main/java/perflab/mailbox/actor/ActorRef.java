package perflab.mailbox.actor;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/** An actor, seen from outside. */
public interface ActorRef<M> extends AutoCloseable {

    /**
     * Sends a message without waiting.
     *
     * @return false if the actor's mailbox refused it: then it is never handled. A system that cannot tell returns true
     */
    boolean tell(M message);

    /**
     * Sends several messages in order, as one operation where the system has one.
     *
     * @return how many were accepted: the first ones
     */
    default int tellAll(List<? extends M> messages) {
        int accepted = 0;
        for (M message : messages) {
            if (!tell(message)) {
                break;
            }
            accepted++;
        }
        return accepted;
    }

    /** How many messages wait to be handled; empty if the system cannot tell. */
    default OptionalInt backlog() {
        return OptionalInt.empty();
    }

    /** How many of its looks into its mailbox have timed out so far; empty if the system cannot tell. */
    default OptionalLong emptyPolls() {
        return OptionalLong.empty();
    }

    /** Whether it may still handle messages; an actor ends early if its handler threw. */
    boolean isAlive();

    /**
     * Waits until the actor waits for a message. A system that hides its threads gets a short pause instead.
     *
     * @return false if the actor did not come to rest in time, as one that spins
     */
    default boolean awaitIdle(long timeoutMs) {
        LockSupport.parkNanos(2_000_000);
        return true;
    }

    /** Tells the actor to stop and does not wait for it. Messages not yet handled may be dropped. */
    void stop();

    @Override
    void close();

    static void awaitEnd(Thread thread) {
        Duration limit = Duration.ofSeconds(5);
        try {
            if (!thread.join(limit)) {
                throw new IllegalStateException("the actor did not stop within " + limit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
