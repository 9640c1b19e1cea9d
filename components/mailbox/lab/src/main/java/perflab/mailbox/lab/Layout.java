package perflab.mailbox.lab;

/**
 * The fields of a mailbox, apart by who writes them, so that nobody's writes take a cache line away from those who only
 * read another field.
 *
 * <pre>
 *   | header, pad | claims | pad | tail, limit | pad | taken, head, the consumer's own | pad |
 *     all threads'  every    64 B  producers     64 B  the consumer                       64 B
 *                   producer       now and then
 * </pre>
 *
 * <p>Superclasses, because a JVM lays out a class's fields after its superclass's but may order those of one class as it
 * likes. It also fills holes of four bytes, such as the one after the header, with fields of subclasses: hence the int in each
 * pad. The pads are one line each: two would be safer where the hardware fetches lines in pairs, and a mailbox per actor has
 * to be small.
 */
final class Layout {

    private Layout() {}

    @SuppressWarnings("unused")
    abstract static class PadBeforeClaims {
        private long p0, p1, p2, p3, p4, p5, p6, p7;
        private int p8;
    }

    abstract static class Claims extends PadBeforeClaims {
        volatile long claims;
    }

    @SuppressWarnings("unused")
    abstract static class PadBeforeTail extends Claims {
        private long p0, p1, p2, p3, p4, p5, p6, p7;
        private int p8;
    }

    abstract static class Tail extends PadBeforeTail {
        /** A chunk that no claim to come is before. */
        volatile Chunk tail;

        /** Of a bounded mailbox: the first ticket for which there may be no room. */
        volatile long limit;
    }

    @SuppressWarnings("unused")
    abstract static class PadBeforeConsumer extends Tail {
        private long p0, p1, p2, p3, p4, p5, p6, p7;
        private int p8;
    }

    abstract static class Consumer extends PadBeforeConsumer {
        volatile long taken;

        /** The consumer's chunk, for producers that have lost the way to theirs. */
        volatile Chunk head;

        /** The thread that the flag in {@code claims} speaks of. */
        Thread sleeper;

        /** The consumer's chunk and its next slot: nobody else looks at these. */
        Chunk chunk;

        int slot;

        /** How many messages before that slot are handed on and not yet released. */
        int unreleased;
    }

    @SuppressWarnings("unused")
    abstract static class Last extends Consumer {
        private long p0, p1, p2, p3, p4, p5, p6, p7;
        private int p8;
    }
}
