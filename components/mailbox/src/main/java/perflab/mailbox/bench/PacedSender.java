package perflab.mailbox.bench;

import java.util.function.LongSupplier;
import perflab.mailbox.actor.ActorRef;

/**
 * A thread that sends one producer's messages on schedule, whatever becomes of them: the open loop.
 *
 * <p>It spins until a message is due. A park would be no use: Linux lets a timer be late by 50 us (PR_SET_TIMERSLACK in
 * prctl(2)), the time of five messages at 100,000 a second. Spinning takes one processor, and with as many producers as
 * processors it takes the actor's too.
 *
 * <p>It never skips what it is late for: messages that came due while it was held up go out at once, one after the
 * other. A refused message is not tried again, because the schedule does not wait.
 *
 * @param journal notes when each accepted message was offered
 * @param lateNs how far behind schedule an offer may be and still not count as late
 * @param clock in nanoseconds
 */
record PacedSender(
        ActorRef<Message> actor,
        Schedule schedule,
        Message[] messages,
        Journal journal,
        long lateNs,
        LongSupplier clock) {

    record Outcome(long refused, long late) {}

    /** Sends all messages; the first of the schedule is due at the start. */
    Outcome send(long startNs) {
        long refused = 0;
        long late = 0;
        for (Message message : messages) {
            long dueNs = startNs + schedule.dueNs(message.sender(), message.sequence());
            long nowNs = spinUntil(dueNs);
            if (nowNs - dueNs > lateNs) {
                late++;
            }
            if (actor.tell(message)) {
                journal.accept(message.sequence(), nowNs);
            } else {
                refused++;
            }
        }
        return new Outcome(refused, late);
    }

    private long spinUntil(long timeNs) {
        long nowNs = clock.getAsLong();
        while (nowNs - timeNs < 0) {
            Thread.onSpinWait();
            nowNs = clock.getAsLong();
        }
        return nowNs;
    }
}
