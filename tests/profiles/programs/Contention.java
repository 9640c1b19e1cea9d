import java.util.ArrayList;
import java.util.concurrent.locks.ReentrantLock;

/** Four threads that do in equal turns what each profiling mode must show. Arguments: platform|virtual, milliseconds. */
public final class Contention {
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static volatile long sink;
    private static volatile Object escaped;

    static void spin() {
        long end = System.nanoTime() + 1_000_000;
        long value = sink;
        while (System.nanoTime() < end) {
            value = value * 31 + 1;
        }
        sink = value;
    }

    static void holdMonitor() {
        synchronized (MONITOR) {
            spin();
        }
    }

    static void holdLock() {
        LOCK.lock();
        try {
            spin();
        } finally {
            LOCK.unlock();
        }
    }

    static void allocate() {
        for (int i = 0; i < 100; i++) {
            escaped = new byte[4096];
        }
    }

    static void nap() {
        try {
            Thread.sleep(3);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        var builder = arguments[0].equals("virtual") ? Thread.ofVirtual() : Thread.ofPlatform();
        long end = System.nanoTime() + Long.parseLong(arguments[1]) * 1_000_000;
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 4; i++) {
            threads.add(builder.start(() -> {
                while (System.nanoTime() < end) {
                    holdLock();
                    allocate();
                    nap();
                    holdMonitor();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("{\"type\": \"end\"}");
    }
}
