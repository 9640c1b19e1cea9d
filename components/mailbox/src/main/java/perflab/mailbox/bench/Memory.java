package perflab.mailbox.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What this process holds. */
final class Memory {

    /** Size and resident set in pages of the first two fields: proc(5). */
    private static final Path STATM = Path.of("/proc/self/statm");

    private static final long PAGE_BYTES = 4096;

    private Memory() {}

    /** Bytes of objects that a full collection leaves. */
    static long usedHeapAfterCollection() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** The resident set in bytes; zero where there is no procfs. */
    static long residentBytes() {
        try {
            return Files.exists(STATM)
                    ? Long.parseLong(List.of(Files.readString(STATM).split(" ")).get(1)) * PAGE_BYTES
                    : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
