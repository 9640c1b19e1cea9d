package perflab.bench;

/**
 * Tells a profiler that watches this process when a timed sample begins and ends.
 *
 * <p>async-profiler starts and stops at native functions. These two are ones of the JVM that hardly any program calls;
 * they take nanoseconds, outside of what is timed.
 */
final class TimedRegion {

    private TimedRegion() {}

    static void begin() {
        Thread.holdsLock(TimedRegion.class);
    }

    static void end() {
        Runtime.getRuntime().maxMemory();
    }
}
