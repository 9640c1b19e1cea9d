package perflab.mailbox.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import perflab.bench.ProcessUsage;

class VirtualThreadAllocationTest {

    private static final int ARRAYS = 64;
    private static final int BYTES = 1 << 20;
    private static final long LIMIT_S = 20;

    enum Kind {
        VIRTUAL(Thread.ofVirtual()),
        PLATFORM(Thread.ofPlatform());

        private final Thread.Builder builder;

        Kind(Thread.Builder builder) {
            this.builder = builder;
        }
    }

    /**
     * The arrays are let go at once, and the virtual thread changes carriers if it likes: both are counted all the same.
     * The JVM adds what a thread allocated to that of the ended ones a moment after a join of it returns.
     */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatAThreadAllocatesIsCountedAlsoAfterItsEnd(Kind kind) throws InterruptedException {
        long before = ProcessUsage.allocatedBytes();
        kind.builder
                .start(() -> {
                    for (int i = 0; i < ARRAYS; i++) {
                        byte[] bytes = new byte[BYTES];
                        LockSupport.parkNanos(bytes.length);
                    }
                })
                .join();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (ProcessUsage.allocatedBytes() - before < (long) ARRAYS * BYTES) {
            assertTrue(System.nanoTime() < deadline, () -> kind + ": " + (ProcessUsage.allocatedBytes() - before));
            Thread.sleep(1);
        }
    }
}
