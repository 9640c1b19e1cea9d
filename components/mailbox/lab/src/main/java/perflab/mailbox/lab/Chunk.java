package perflab.mailbox.lab;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The slots of consecutive tickets. Each is filled once and emptied once, and a chunk is never used again: no ABA, and no
 * message of an earlier round to be taken for one of this.
 *
 * <pre>
 *   chunk --next--&gt; chunk --next--&gt; chunk --next--&gt; null             passed by the consumer: next is the chunk itself
 *   8 slots         16              32, and so on up to the largest
 * </pre>
 *
 * <p><b>Why it is not recycled.</b> To store a young message into a young array costs G1's write barrier a comparison, into an
 * old one, which a recycled chunk soon is, a full fence and a card. The price is 4 bytes of allocation per message, a sixth of
 * a linked queue's node.
 */
final class Chunk {

    private static final VarHandle NEXT;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(Chunk.class, "next", Chunk.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The ticket of slot 0. */
    private final long first;

    private final Object[] slots;
    private volatile Chunk next;

    Chunk(long first, int length) {
        this.first = first;
        this.slots = new Object[length];
    }

    int length() {
        return slots.length;
    }

    long ticketOf(int slot) {
        return first + Words.STEP * slot;
    }

    /** The slot of a ticket that is not before this chunk; at or beyond the length if the ticket is in a later one. */
    long slotOf(long ticket) {
        return Words.messages(ticket - first);
    }

    boolean isBefore(long ticket) {
        return slotOf(ticket) >= slots.length;
    }

    /** Pairs with {@link #laSlot}: what was done before the message was sent happens before what is done on its receipt. */
    void soSlot(int slot, Object message) {
        SLOT.setRelease(slots, slot, message);
    }

    Object laSlot(int slot) {
        return SLOT.getAcquire(slots, slot);
    }

    /** Plain: no other thread will read or write these slots. */
    void spEmpty(int from, int to) {
        for (int slot = from; slot < to; slot++) {
            slots[slot] = null;
        }
    }

    /** Pairs with the compare-and-set in {@link #appendNext} and with {@link #soPassed}. */
    Chunk laNext() {
        return (Chunk) NEXT.getAcquire(this);
    }

    /**
     * The next chunk, be it this call's or another producer's; this chunk itself if the consumer has passed it.
     *
     * @param largest the length up to which chunks double
     */
    Chunk appendNext(int largest) {
        Chunk next = laNext();
        if (next != null) {
            return next;
        }
        Chunk mine = new Chunk(ticketOf(slots.length), Math.min(largest, 2 * slots.length));
        Chunk others = (Chunk) NEXT.compareAndExchange(this, null, mine);
        return others == null ? mine : others;
    }

    /**
     * Cuts the chain behind the consumer. Otherwise one dead chunk in the old generation would keep alive every chunk after it
     * until the old generation is collected, as the nodes of LinkedBlockingQueue once did (JDK-6805775).
     */
    void soPassed() {
        NEXT.setRelease(this, this);
    }
}
