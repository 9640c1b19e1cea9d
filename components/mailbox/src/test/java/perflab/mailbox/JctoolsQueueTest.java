package perflab.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.junit.jupiter.api.Test;

/** What JCTools' queue does, against what the report says it does. */
class JctoolsQueueTest {

    private static final String BASE = "org.jctools.queues.BaseMpscLinkedArrayQueue";
    private static final int CHUNK_SIZE = 128;
    private static final long LIMIT_S = 20;

    private final MpscUnboundedArrayQueue<Integer> queue = new MpscUnboundedArrayQueue<>(CHUNK_SIZE);

    private static String methodBody(String className, String signature) throws Exception {
        String jar = new File(MpscUnboundedArrayQueue.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .getPath();
        StringWriter printed = new StringWriter();
        ToolProvider.findFirst("javap")
                .orElseThrow()
                .run(new PrintWriter(printed), new PrintWriter(printed), "-c", "-p", "-cp", jar, className);
        String disassembly = printed.toString();
        int start = disassembly.indexOf(signature);
        assertTrue(start >= 0, signature + " is not in " + disassembly);
        return disassembly.substring(start, disassembly.indexOf("\n\n", start));
    }

    @Test
    void anOfferClaimsItsSlotByCompareAndSet() throws Exception {
        assertTrue(methodBody(BASE, "public boolean offer(E)").contains("casProducerIndex"));
        assertTrue(methodBody(BASE + "ProducerFields", "boolean casProducerIndex(long, long)")
                .contains("Unsafe.compareAndSwapLong"));
    }

    /** Why MpscRepairedMailbox has a fence of its own. */
    @Test
    void aNewChunkIsPublishedByAnOrderedStore() throws Exception {
        assertTrue(methodBody(BASE, "private void resize(").contains("soProducerIndex"));
        assertTrue(methodBody(BASE + "ProducerFields", "void soProducerIndex(long)")
                .contains("Unsafe.putOrderedLong"));
    }

    @Test
    void allChunksHaveTheSameLength() {
        for (int i = 0; i < 5 * CHUNK_SIZE; i++) {
            queue.offer(i);
        }
        List<Integer> lengths = new ArrayList<>();
        Object[] chunk = (Object[]) field("consumerBuffer").get();
        while (chunk != null) {
            lengths.add(chunk.length);
            // the last slot of a chunk links the next one
            chunk = (Object[]) chunk[chunk.length - 1];
        }
        assertTrue(lengths.size() >= 5, "chunks: " + lengths);
        assertEquals(List.of(CHUNK_SIZE + 1), lengths.stream().distinct().toList());
    }

    @Test
    void itGrowsForWhateverComes() {
        for (int i = 0; i < 100_000; i++) {
            assertTrue(queue.offer(i));
        }
        assertEquals(100_000, queue.size());
        for (int i = 0; i < 100_000; i++) {
            assertEquals(i, queue.poll());
        }
    }

    @Test
    void aPollSpinsOnASlotThatIsClaimedAndNotYetFilled() throws Exception {
        claimFirstSlot();
        FutureTask<Integer> poll = new FutureTask<>(queue::poll);
        Thread consumer = Thread.ofPlatform().daemon().start(poll);
        for (int i = 0; i < 50; i++) {
            Thread.sleep(1);
            assertFalse(poll.isDone(), "poll returned while the slot was claimed and empty");
            assertEquals(Thread.State.RUNNABLE, consumer.getState());
        }
        fillFirstSlot(7);
        assertEquals(7, poll.get(LIMIT_S, TimeUnit.SECONDS));
    }

    @Test
    void aRelaxedPollDoesNot() {
        claimFirstSlot();
        assertNull(queue.relaxedPoll());
    }

    /** What a producer has done between its compare-and-set and its store. The index counts in steps of two. */
    private void claimFirstSlot() {
        field("producerIndex").set(2L);
    }

    private void fillFirstSlot(Integer message) {
        ((Object[]) field("producerBuffer").get())[0] = message;
    }

    private Accessor field(String name) {
        for (Class<?> type = queue.getClass(); type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return new Accessor(field, queue);
            } catch (NoSuchFieldException e) {
                // then it is the superclass's
            }
        }
        throw new AssertionError("JCTools has no field " + name + " any more");
    }

    private record Accessor(Field field, Object object) {
        Object get() {
            try {
                return field.get(object);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }

        void set(Object value) {
            try {
                field.set(object, value);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
    }
}
