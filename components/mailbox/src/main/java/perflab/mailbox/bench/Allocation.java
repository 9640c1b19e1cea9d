package perflab.mailbox.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * What all threads of this process have allocated so far. A virtual thread's allocations count as its carrier's. Between
 * two readings the JVM is exact to a thread's allocation buffer, so the figure needs many operations.
 */
final class Allocation {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    static long bytes() {
        return THREADS.getTotalThreadAllocatedBytes();
    }
}
