package perflab.mailbox.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The CPU time that the other threads of this process have used so far. Without the calling thread, because to read the
 * account takes milliseconds, more than a thousand actors that are truly idle use in the same time.
 *
 * <p>{@link OperatingSystemMXBean#getProcessCpuTime} counts in steps of 10 ms on Linux, more than actors that are truly idle
 * use in a sample. The scheduler's own account of each thread is exact to the nanosecond; what threads used that have
 * ended is missing from it, and none of the actors ends while it is read.
 */
final class ProcessCpu {

    private static final Path TASKS = Path.of("/proc/self/task");
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final boolean EXACT = Files.isReadable(Path.of("/proc/self/schedstat"));

    private ProcessCpu() {}

    static long nanoseconds() {
        return EXACT ? ofOtherThreads() : SYSTEM.getProcessCpuTime();
    }

    private static long ofOtherThreads() {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
            Path self = Path.of("/proc/thread-self").toRealPath().getFileName();
            for (Path thread : threads) {
                if (!thread.getFileName().equals(self)) {
                    sum += ofThread(thread);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    /** First field of schedstat: time on the processor, in nanoseconds. */
    private static long ofThread(Path thread) throws IOException {
        try {
            String schedstat = Files.readString(thread.resolve("schedstat"));
            return Long.parseLong(schedstat.substring(0, schedstat.indexOf(' ')));
        } catch (NoSuchFileException e) {
            return 0; // the thread has ended since the directory was listed
        }
    }
}
