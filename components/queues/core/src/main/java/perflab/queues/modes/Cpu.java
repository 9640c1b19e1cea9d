package perflab.queues.modes;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

final class Cpu {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Cpu() {}

    /**
     * Nanoseconds on the processors so far, in steps of 10 ms on Linux. Over a sample's many runs the steps cancel out, if each run
     * counts what it finds, be it less than nothing.
     */
    static long ofProcess() {
        return SYSTEM.getProcessCpuTime();
    }
}
