package perflab.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What this process has used. */
public final class ProcessUsage {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private static final Path PROC = Path.of("/proc/self");
    private static final boolean HAS_SCHEDSTAT = Files.isReadable(PROC.resolve("schedstat"));

    private ProcessUsage() {}

    /**
     * What all threads have allocated so far. A virtual thread's allocations count as its carrier's. Between two
     * readings the JVM is exact to a thread's allocation buffer, so the figure needs many operations.
     */
    public static long allocatedBytes() {
        return THREADS.getTotalThreadAllocatedBytes();
    }

    /**
     * The CPU time that the other threads have used so far, in nanoseconds. Without the calling thread, because to read
     * the account takes milliseconds, more than a thousand actors that are truly idle use in the same time.
     *
     * <p>{@link OperatingSystemMXBean#getProcessCpuTime} counts in steps of 10 ms on Linux, more than actors that are
     * truly idle use in a sample. The scheduler's own account of each thread is exact to the nanosecond; what threads
     * used that have ended is missing from it, and none of the actors ends while it is read.
     */
    public static long cpuNs() {
        return HAS_SCHEDSTAT ? cpuNsOfOtherThreads() : SYSTEM.getProcessCpuTime();
    }

    private static long cpuNsOfOtherThreads() {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(PROC.resolve("task"))) {
            Path self = Path.of("/proc/thread-self").toRealPath().getFileName();
            for (Path thread : threads) {
                sum += thread.getFileName().equals(self) ? 0 : cpuNsOf(thread);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    /** First field of schedstat: time on the processor, in nanoseconds. */
    private static long cpuNsOf(Path thread) throws IOException {
        try {
            String schedstat = Files.readString(thread.resolve("schedstat"));
            return Long.parseLong(schedstat.substring(0, schedstat.indexOf(' ')));
        } catch (NoSuchFileException e) {
            return 0; // the thread has ended since the directory was listed
        }
    }
}
