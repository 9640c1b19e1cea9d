package perflab.disruptor;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** The paper's first experiment: what it costs to increment a counter. An operation is one increment of one thread. */
@State(Scope.Benchmark)
public class Contention {
  private long plain;
  private volatile long visible;
  private long locked;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong atomic = new AtomicLong();

  @Benchmark
  public long plain() {
    return ++plain;
  }

  /** A volatile write without an atomic increment: only one thread writes. */
  @Benchmark
  public void volatileWrite() {
    visible = visible + 1;
  }

  @Benchmark
  public long cas() {
    return atomic.incrementAndGet();
  }

  @Benchmark
  @Threads(2)
  public long casOfTwo() {
    return atomic.incrementAndGet();
  }

  @Benchmark
  public long locked() {
    lock.lock();
    try {
      return ++locked;
    } finally {
      lock.unlock();
    }
  }

  @Benchmark
  @Threads(2)
  public long lockedByTwo() {
    return locked();
  }
}
