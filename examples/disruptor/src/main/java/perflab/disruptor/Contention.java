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

  /** As the paper has it and Java had it then: a loop that reads and compares, where today's increment is one instruction. */
  @Benchmark
  public long cas() {
    long seen;
    do {
      seen = atomic.get();
    } while (!atomic.compareAndSet(seen, seen + 1));
    return seen + 1;
  }

  @Benchmark
  @Threads(2)
  public long casOfTwo() {
    return cas();
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
