package perflab.mailbox.lab;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import perflab.mailbox.Mailbox;

/**
 * What the two mailboxes of this package share: where a claimed message goes, and the consumer.
 *
 * <p><b>Progress.</b> To fill a claimed slot is wait-free, at the end of a chunk too: whoever gets there first links the next chunk,
 * and nobody waits for anybody who was about to. A receive waits for a slot that a producer has claimed and not yet filled;
 * {@link #drain} and {@link #drainTo} end there instead. To wake the consumer never blocks a producer.
 *
 * <p><b>The protocol</b>
 *
 * <pre>
 *   [P]  P0 from = tail                           [C]  C0 slot of ticket t is empty; spins for a while
 *        P1 t, flag = fetch-and-add of claims          C1 sleeper = itself
 *        P2 chunk of t, from "from" on                 C2 claims: compare-and-set from t to t | WAITING
 *        P3 slot of t = message (release)              C3 parks as long as claims is t | WAITING
 *        P4 if flag, and t == taken: unpark            C4 fetch-and-add of claims: takes the flag back
 *                                                      C5 waits for the slot of t to be filled, takes it
 * </pre>
 *
 * <p><b>Why no wake-up is lost.</b> Claiming a ticket, going to sleep and waking up are atomic updates of one word, so they have one
 * order, and no fence is needed to look at a second one. If a claim comes before C2, C2 fails and the consumer does
 * not park. If it comes after, it finds the flag; the first such claim has ticket t, and as long as the consumer
 * sleeps {@code taken} is t: that producer unparks, and no other. It does so after P3, an unpark before its park leaves a permit,
 * and C3 is a loop on {@code claims}, which cannot go back to t | WAITING. So an awake consumer costs a producer no read and
 * no fence beyond its claim: the answer comes with the ticket.
 *
 * <pre>
 *   [P1] P1: t, flag                               [P2] P1: t + 2, flag; P3; t + 2 != taken: leaves the unpark to P1
 *   [P1] stalls before P4: the consumer sleeps on, with P2's message behind P1's
 * </pre>
 *
 * <p>That schedule delays P2's message until P1 goes on, as P1 would by stalling before P3, or the one producer that is inside unpark
 * in any other mailbox. A wake-up by everybody who saw the flag would bound it, for the price of an unpark each.
 *
 * <p><b>Why no message is lost, doubled or out of order.</b> Tickets are claimed by an atomic addition: no two are the same, and one
 * producer's grow. Each has one slot: the chunks of a chain cover consecutive tickets, and only the compare-and-set from null
 * links one to the next. The consumer takes the slots in their order, each once, and waits for the empty one of a claimed
 * ticket instead of passing it.
 *
 * <p><b>Why P2 finds the chunk.</b> {@code tail} moves to a chunk only after some ticket at or just before that chunk's first was
 * claimed. P0 comes before P1, so P1's ticket is not before {@code from}. On the way a chunk may be linked to itself: then the consumer
 * has passed it. The consumer does not pass slot t, which is empty, so {@code head} is not beyond t's chunk, and
 * {@code head} was written before that link was: the search goes on there.
 *
 * <p><b>How it is closed.</b> {@link #close} claims a ticket by the same update that sets the flag CLOSED, and delivers a mark to its
 * slot as any other message, wake-up included. So each claim is before the mark, and is received, or finds the flag, and
 * is refused: it takes a ticket, which nobody will look at, as the consumer does not pass the mark. A consumer that is about to sleep has
 * t claimed by the mark, so C2 fails.
 *
 * <p><b>Why receives may be released later.</b> {@link #drain} releases up to {@value #DRAINED_AT_ONCE} messages at once. Until then
 * {@code taken} is behind the consumer. A producer then finds less room than there is, never more. P4 compares its ticket with
 * {@code taken} for a consumer that sleeps, and a consumer releases all before it announces itself.
 *
 * <p><b>What a stalled producer can do.</b> Between P1 and P3 it holds up the consumer, and all messages behind its own; other
 * producers go on. The consumer waits at C5 by spinning, then yielding, then short parks, without regard to timeout and interrupt, which
 * it sets aside and gives back afterwards: a poll must not report an empty mailbox when there are messages whose offers have
 * returned. An {@link OutOfMemoryError} in P2 leaves the slot empty for good; the mailbox is then dead. One that comes when the next
 * chunk is linked ahead of time, after P4, costs nothing: whoever needs that chunk links it.
 *
 * <p><b>Races that remain, and are benign.</b> P4 may come late, when the consumer is awake for another reason or has gone
 * to sleep again: a needless unpark, and C3 looks again. P4 may read a newer {@code sleeper}, or null: then the one of t is awake.
 * A spin that begins when it should have been a park costs its budget, see {@link SpinBudget}.
 *
 * @param <E> the type of the messages
 */
abstract class ChunkedMailbox<E> extends Words implements Mailbox<E> {

    static final int FIRST_CHUNK = 8;
    static final int LARGEST_CHUNK = 1024;

    /** C5: a producer that is between its claim and its store needs nanoseconds, one that was preempted there milliseconds. */
    private static final int FILL_SPINS = 100;

    private static final int FILL_YIELDS = 100;

    /** Producers wait for room, and the lines that they fill are written by the consumer, this much less often. */
    static final int DRAINED_AT_ONCE = 16;

    /** A busy consumer looks so often before it yields, and looks at the clock and for an interrupt so seldom. */
    private static final int LOOKS_AT_ONCE = 64;

    /** In the slot behind the last message. */
    private static final Object END = new Object();

    private static final long FILL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final int largestChunk;
    private final WaitStrategy strategy;
    private final SpinBudget spinning = new SpinBudget();

    /** The ticket of the mark, if it is closed: written by {@link #close} before the flag, and read after it. */
    private long end;

    /**
     * Creates an empty mailbox.
     *
     * @param start the first ticket, a multiple of four; tests begin shortly before wraparound
     * @param largestChunk the length up to which chunks double; tests make it small, to meet the ends of chunks often
     * @param strategy what the consumer does while there is nothing to receive
     */
    ChunkedMailbox(long start, int largestChunk, WaitStrategy strategy) {
        if (ticketOf(start) != start) {
            throw new IllegalArgumentException("not a ticket: " + start);
        }
        this.largestChunk = largestChunk;
        this.strategy = Objects.requireNonNull(strategy);
        claims = start;
        taken = start;
        chunk = new Chunk(start, Math.min(FIRST_CHUNK, largestChunk));
        head = chunk;
        tail = chunk;
    }

    /** A batch as it is now, whatever becomes of the list. */
    static Object[] snapshot(List<?> messages) {
        Object[] batch = messages.toArray();
        for (Object message : batch) {
            Objects.requireNonNull(message);
        }
        return batch;
    }

    /** P2 to P4 for one message. */
    final void deliver(Chunk from, long word, Object message) {
        long ticket = ticketOf(word);
        Chunk chunk = fill(from, ticket, message);
        if (isWaiting(word)) {
            wakeConsumer(ticket);
        }
        extend(chunk, ticket);
    }

    /** P2 to P4 for the first messages of a batch, which have consecutive tickets. */
    final void deliver(Chunk from, long word, Object[] batch, int count) {
        long ticket = ticketOf(word);
        Chunk chunk = from;
        try {
            for (int i = 0; i < count; i++) {
                chunk = fill(chunk, ticket + STEP * i, batch[i]);
                extend(chunk, ticket + STEP * i);
            }
        } finally {
            // also where there is no memory for the rest: what is in its slot can be received
            if (isWaiting(word)) {
                wakeConsumer(ticket);
            }
        }
    }

    /** P2 and P3, and the chunk of the ticket. */
    private Chunk fill(Chunk from, long ticket, Object message) {
        Chunk chunk = from.isBefore(ticket) ? find(from, ticket) : from;
        chunk.soSlot((int) chunk.slotOf(ticket), message);
        return chunk;
    }

    /**
     * Links the next chunk, by the one producer that fills the last slot of this: ahead of time, so that seldom several come to the
     * end at once and each makes a chunk. It is not needed, and it allocates: the message is delivered before it.
     */
    private void extend(Chunk chunk, long ticket) {
        if (chunk.slotOf(ticket) == chunk.length() - 1) {
            casTail(chunk, chunk.appendNext(largestChunk));
        }
    }

    private Chunk find(Chunk from, long ticket) {
        Chunk chunk = from;
        while (chunk.isBefore(ticket)) {
            Chunk next = chunk.appendNext(largestChunk);
            chunk = next == chunk ? laHead() : next;
        }
        casTail(from, chunk);
        return chunk;
    }

    private void wakeConsumer(long ticket) {
        if (ticket == ticketOf(lvTaken())) {
            LockSupport.unpark(loSleeper());
        }
    }

    /** Publishes that so many more messages have been received. */
    abstract void release(int count);

    /**
     * Refuses all offers from now on: they return false, and those that wait for room do so at once. Any thread may call it, more than
     * once. Messages that were accepted before are received still, by the same consumer; when there are none left, {@link #take} and
     * {@link #poll} return null without waiting.
     *
     * <p>Lock-free among producers and consumer; of several threads that close it, one waits for the other.
     */
    @Override
    public final synchronized void close() {
        while (true) {
            Chunk from = lvTail(); // P0, before the claim
            long word = lvClaims();
            if (isClosed(word)) {
                return;
            }
            end = ticketOf(word);
            if (casClaims(word, word + STEP | CLOSED)) {
                deliver(from, word, END);
                refuseWaiting();
                return;
            }
        }
    }

    /** Lets producers that wait for room look again. */
    abstract void refuseWaiting();

    /**
     * Whether {@link #close} has been called. Any thread may ask.
     *
     * @return true if it has; messages may be left inside
     */
    public final boolean isClosed() {
        return isClosed(lvClaims());
    }

    /** Whether the mark is next: all that was accepted has been received. After a look that found nothing. */
    private boolean isAtEnd() {
        return slot < chunk.length() && chunk.laSlot(slot) == END;
    }

    /** The oldest message, still in its slot; null if there is none, or none yet in a slot that is claimed. */
    @SuppressWarnings("unchecked") // only messages of this type, and the mark, are put into slots
    private E peek() {
        if (slot == chunk.length() && !advance()) {
            return null;
        }
        Object message = chunk.laSlot(slot);
        return message == END ? null : (E) message;
    }

    private boolean advance() {
        flush(); // its slots are those of this chunk
        Chunk passed = chunk;
        Chunk next = passed.laNext();
        if (next == null) {
            return false;
        }
        chunk = next;
        slot = 0;
        soHead(next); // before the link below, which sends producers there
        passed.soPassed();
        return true;
    }

    /** Passes the slot of a message that is handed on. */
    private void pass() {
        slot++;
        unreleased++;
    }

    /** Empties the slots that were passed, and tells of it. */
    private void flush() {
        int count = unreleased;
        if (count > 0) {
            chunk.spEmpty(slot - count, slot);
            unreleased = 0;
            release(count);
        }
    }

    private E next() {
        E message = peek();
        if (message != null) {
            pass();
            flush();
        }
        return message;
    }

    /** The ticket of the next message to be received. */
    final long nextTicket() {
        return chunk.ticketOf(slot);
    }

    @Override
    public final E take() throws InterruptedException {
        E message = next();
        return message != null ? message : await(false, 0);
    }

    @Override
    public final E poll(long timeout, TimeUnit unit) throws InterruptedException {
        E message = next();
        if (message != null) {
            return message;
        }
        if (timeout > 0) {
            return await(true, System.nanoTime() + unit.toNanos(timeout));
        }
        flush();
        return nothingOrNext();
    }

    /** The next message, if it is claimed. */
    private E nothingOrNext() {
        return ticketOf(lvClaims()) == nextTicket() ? null : awaitFill();
    }

    private E await(boolean timed, long deadline) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        flush(); // a drain's action may wait here, too
        if (isAtEnd()) {
            return null;
        }
        if (strategy.isBusy()) {
            return look(timed, deadline);
        }
        E message = strategy == WaitStrategy.ADAPTIVE ? spin() : null;
        if (message != null) {
            return message;
        }
        long ticket = nextTicket();
        if (!announce(ticket)) {
            return awaitFill();
        }
        sleep(ticket, timed, deadline);
        boolean claimed = retract() != (ticket | WAITING);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return claimed ? awaitFill() : null;
    }

    /** C1 and C2; false if the next message is claimed. The stress tests stop after it. */
    final boolean announce(long ticket) {
        soSleeper(Thread.currentThread());
        return casClaims(ticket, ticket | WAITING);
    }

    /** C3, until there is a claim, the deadline has passed, or an interrupt has come. */
    private void sleep(long ticket, boolean timed, long deadline) {
        long begun = System.nanoTime();
        while (lvClaims() == (ticket | WAITING) && !Thread.currentThread().isInterrupted()) {
            if (!timed) {
                LockSupport.park(this);
                continue;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return;
            }
            LockSupport.parkNanos(this, left);
        }
        spinning.slept(System.nanoTime() - begun);
    }

    /** C4, and what {@code claims} was until then. */
    final long retract() {
        long word = xaddClaims(-WAITING);
        soSleeper(null); // a mailbox does not keep a thread alive
        return word;
    }

    private E spin() {
        long budget = spinning.budgetNs();
        if (budget == 0) {
            return null;
        }
        boolean virtual = Thread.currentThread().isVirtual();
        long begun = System.nanoTime();
        do {
            for (int i = 0; i < SpinBudget.SPINS_PER_LOOK_AT_THE_CLOCK; i++) {
                Thread.onSpinWait();
                E message = next();
                if (message != null) {
                    spinning.paidOff();
                    return message;
                }
            }
            if (virtual && othersNeedTheCarrier()) {
                spinning.crowded();
                return next();
            }
        } while (System.nanoTime() - begun < budget);
        spinning.failed();
        return null;
    }

    /** Never announces itself: no claim finds a flag, and no producer has to wake anybody. */
    private E look(boolean timed, long deadline) throws InterruptedException {
        while (true) {
            for (int i = 0; i < LOOKS_AT_ONCE; i++) {
                E message = next();
                if (message != null) {
                    return message;
                }
                Thread.onSpinWait();
            }
            if (isAtEnd()) {
                return null;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (timed && System.nanoTime() - deadline >= 0) {
                return nothingOrNext();
            }
            if (strategy == WaitStrategy.YIELDING) {
                Thread.yield();
            }
        }
    }

    /** Gives them a turn. Without any, a yield of a virtual thread comes back within a microsecond or two. */
    private static boolean othersNeedTheCarrier() {
        long before = System.nanoTime();
        Thread.yield();
        return System.nanoTime() - before > SpinBudget.YIELD_TO_NOBODY_NS;
    }

    /** C5; null if what is claimed is the mark. */
    private E awaitFill() {
        E message;
        boolean interrupted = false;
        try {
            for (int looks = 0; (message = next()) == null && !isAtEnd(); looks++) {
                if (looks < FILL_SPINS) {
                    Thread.onSpinWait();
                } else if (looks < FILL_SPINS + FILL_YIELDS) {
                    Thread.yield();
                } else {
                    interrupted |= Thread.interrupted(); // while one is pending, a park returns at once
                    LockSupport.parkNanos(this, FILL_PARK_NS);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return message;
    }

    @Override
    public final int drainTo(Collection<? super E> sink, int max) {
        int moved = 0;
        try {
            for (E message; moved < max && (message = peek()) != null; moved++) {
                sink.add(message); // if it throws, the message stays
                passInBatches();
            }
        } finally {
            flush();
        }
        return moved;
    }

    /**
     * Hands the messages that are there to an action, oldest first, without waiting. A message counts as received before the action
     * has it: what the action throws ends the drain, and that message does not come again.
     *
     * <p>While it goes on, up to {@value #DRAINED_AT_ONCE} messages that the action has had count towards size and capacity, and are
     * reachable. The action may itself receive.
     *
     * @param action what is done with each
     * @param max how many at most
     * @return how many
     */
    public final int drain(Consumer<? super E> action, int max) {
        int handled = 0;
        try {
            for (E message; handled < max && (message = peek()) != null; handled++) {
                passInBatches();
                action.accept(message);
            }
        } finally {
            flush();
        }
        return handled;
    }

    private void passInBatches() {
        pass();
        if (unreleased >= DRAINED_AT_ONCE) {
            flush();
        }
    }

    @Override
    public final int size() {
        long received = ticketOf(lvTaken());
        while (true) {
            long word = lvClaims();
            long claimed = isClosed(word) ? end : ticketOf(word);
            long receivedSince = ticketOf(lvTaken());
            if (receivedSince == received) {
                return (int) Math.min(capacity(), messages(claimed - received));
            }
            received = receivedSince;
        }
    }
}
