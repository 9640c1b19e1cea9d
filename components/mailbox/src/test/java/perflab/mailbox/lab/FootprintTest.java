package perflab.mailbox.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;
import org.openjdk.jol.info.GraphLayout;
import perflab.mailbox.Mailbox;

/** What a mailbox weighs, and that its hot fields are apart. */
class FootprintTest {

    private static final int CACHE_LINE = 64;

    /** 536 bytes and, bounded, 640; some more without compressed references. */
    private static final int EMPTY = 768;

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void anEmptyMailboxWeighsAboutHalfAKilobyte() {
        for (Mailbox<Object> mailbox :
                List.<Mailbox<Object>>of(new UnboundedMailbox<>(), new BoundedMailbox<>(10_000))) {
            long bytes = GraphLayout.parseInstance(mailbox).totalSize();
            assertTrue(bytes < EMPTY, bytes + " bytes");
        }
    }

    @Test
    void anEmptiedMailboxKeepsAtMostTwoChunks() {
        Mailbox<Object> mailbox = new UnboundedMailbox<>();
        Object message = new Object();
        for (int i = 0; i < 100_000; i++) {
            mailbox.offer(message);
        }
        mailbox.drainTo(new java.util.ArrayList<>(), 100_000);
        long bytes = GraphLayout.parseInstance(mailbox).totalSize();
        long chunk = ClassLayout.parseInstance(new Object[ChunkedMailbox.LARGEST_CHUNK])
                .instanceSize();
        assertTrue(bytes < EMPTY + 2 * chunk, bytes + " bytes");
    }

    @Test
    void noHotFieldSharesALineWithAnothersField() {
        Map<String, Long> offsets = ClassLayout.parseClass(UnboundedMailbox.class).fields().stream()
                .filter(field -> !field.name().startsWith("p"))
                .collect(Collectors.toMap(FieldLayout::name, FieldLayout::offset));
        List<List<String>> groups = List.of(
                List.of("claims"),
                List.of("tail", "limit"),
                List.of("taken", "head", "sleeper", "chunk", "slot", "unreleased"),
                List.of("largestChunk", "strategy", "spinning", "end"));
        assertEquals(
                groups.stream().flatMap(List::stream).collect(Collectors.toSet()), offsets.keySet(), "a field is new");
        for (int i = 1; i < groups.size(); i++) {
            long end = groups.get(i - 1).stream().mapToLong(offsets::get).max().orElseThrow();
            long begin = groups.get(i).stream().mapToLong(offsets::get).min().orElseThrow();
            assertTrue(
                    begin - end >= CACHE_LINE,
                    groups.get(i - 1) + " at " + end + ", " + groups.get(i) + " at " + begin);
        }
        assertTrue(offsets.get("claims") >= CACHE_LINE, "the object before this one could share the line of claims");
    }

    @Test
    void aReceivedMessageIsNotHeldOnTo() throws InterruptedException {
        Mailbox<Object> mailbox = new BoundedMailbox<>(10_000);
        WeakReference<Object> received = receivedOf(mailbox);
        long deadline = System.nanoTime() + LIMIT_NS;
        while (received.get() != null) {
            assertTrue(System.nanoTime() < deadline, "the message is still reachable");
            System.gc();
            Thread.sleep(1);
        }
        assertEquals(0, mailbox.size());
    }

    private static WeakReference<Object> receivedOf(Mailbox<Object> mailbox) throws InterruptedException {
        mailbox.offer(new Object());
        return new WeakReference<>(mailbox.take());
    }
}
