package perflab.disruptor;

import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The paper's five configurations, with a queue for each arc or one ring buffer. An operation is one message, from the
 * producer to the last consumer that it goes to. Each run checks that all messages have come, once and in order.
 */
@OperationsPerInvocation(Handover.MESSAGES)
public class Handover {
  static final int MESSAGES = 600_000;
  static final int CAPACITY = 1 << 16;

  /** Counts messages of a value that grows by one; of several producers only how many there are. */
  static final class Sink {
    private static final long BROKEN = -1;

    private final boolean ordered;
    private long next;
    private volatile long done;

    Sink(boolean ordered) {
      this.ordered = ordered;
    }

    void accept(long value) {
      if (ordered && value != next || done == BROKEN) {
        done = BROKEN;
        return;
      }
      next++;
      if (next % MESSAGES == 0) {
        done = next;
      }
    }

    void await(long wanted) {
      while (done != wanted) {
        if (done == BROKEN) {
          throw new IllegalStateException("a message is lost, doubled, or out of order");
        }
        Thread.yield();
      }
    }
  }

  /** Threads of a trial, and the messages so far. */
  abstract static class Running {
    final List<Thread> threads = new ArrayList<>();
    final Sink sink = sink();
    long sent;

    Sink sink() {
      return new Sink(true);
    }

    void start(Step step) {
      Thread thread = DaemonThreadFactory.INSTANCE.newThread(() -> {
        try {
          while (true) {
            step.run();
          }
        } catch (InterruptedException ended) {
          Thread.currentThread().interrupt();
        }
      });
      threads.add(thread);
      thread.start();
    }

    @TearDown(Level.Trial)
    public void end() {
      threads.forEach(Thread::interrupt);
    }

    /** Sends a batch by `send` and waits until the last consumer has all of it. */
    long run(Send send) throws InterruptedException {
      for (int i = 0; i < MESSAGES; i++) {
        send.message(sent++);
      }
      sink.await(sent);
      return sent;
    }
  }

  interface Step {
    void run() throws InterruptedException;
  }

  interface Send {
    void message(long value) throws InterruptedException;
  }

  static BlockingQueue<Long> queue() {
    return new ArrayBlockingQueue<>(CAPACITY);
  }

  /** The slot of a ring buffer. */
  static final class Slot {
    long value;
    long first;
    long second;
  }

  abstract static class Ring extends Running {
    final Disruptor<Slot> disruptor = new Disruptor<>(
        Slot::new, CAPACITY, DaemonThreadFactory.INSTANCE, producers(), new YieldingWaitStrategy());

    ProducerType producers() {
      return ProducerType.SINGLE;
    }

    void publish(long value) {
      var ring = disruptor.getRingBuffer();
      long sequence = ring.next();
      ring.get(sequence).value = value;
      ring.publish(sequence);
    }

    @Override
    @TearDown(Level.Trial)
    public void end() {
      super.end();
      disruptor.halt();
    }
  }

  // Unicast: a producer, a consumer.

  @State(Scope.Benchmark)
  public static class UnicastQueue extends Running {
    final BlockingQueue<Long> array = queue();
    final BlockingQueue<Long> linked = new LinkedBlockingQueue<>(CAPACITY);
    private BlockingQueue<Long> used;

    /** One consumer, of the queue that the benchmark uses. */
    long run(BlockingQueue<Long> queue) throws InterruptedException {
      if (used == null) {
        used = queue;
        start(() -> sink.accept(queue.take()));
      }
      return run(queue::put);
    }
  }

  @State(Scope.Benchmark)
  public static class UnicastRing extends Ring {
    @Setup(Level.Trial)
    public void set() {
      disruptor.handleEventsWith((slot, sequence, last) -> sink.accept(slot.value));
      disruptor.start();
    }
  }

  @Benchmark
  public long unicastArrayBlockingQueue(UnicastQueue state) throws InterruptedException {
    return state.run(state.array);
  }

  @Benchmark
  public long unicastLinkedBlockingQueue(UnicastQueue state) throws InterruptedException {
    return state.run(state.linked);
  }

  @Benchmark
  public long unicastDisruptor(UnicastRing state) throws InterruptedException {
    return state.run(state::publish);
  }

  // Pipeline: three consumers, one after the other.

  @State(Scope.Benchmark)
  public static class PipelineQueue extends Running {
    final BlockingQueue<Long> first = queue();
    final BlockingQueue<Long> second = queue();
    final BlockingQueue<Long> third = queue();

    @Setup(Level.Trial)
    public void set() {
      start(() -> second.put(first.take()));
      start(() -> third.put(second.take()));
      start(() -> sink.accept(third.take()));
    }
  }

  @State(Scope.Benchmark)
  public static class PipelineRing extends Ring {
    @Setup(Level.Trial)
    public void set() {
      disruptor.handleEventsWith((slot, sequence, last) -> slot.first = slot.value)
          .then((slot, sequence, last) -> slot.second = slot.first)
          .then((slot, sequence, last) -> sink.accept(slot.second));
      disruptor.start();
    }
  }

  @Benchmark
  public long pipelineArrayBlockingQueue(PipelineQueue state) throws InterruptedException {
    return state.run(state.first::put);
  }

  @Benchmark
  public long pipelineDisruptor(PipelineRing state) throws InterruptedException {
    return state.run(state::publish);
  }

  // Sequencer: three producers, a consumer.

  /** Lets the benchmark's thread and two more send a third each. */
  static long byThree(Running state, Send send) throws InterruptedException {
    Thread[] others = new Thread[2];
    for (int i = 0; i < others.length; i++) {
      others[i] = DaemonThreadFactory.INSTANCE.newThread(() -> third(send));
      others[i].start();
    }
    third(send);
    for (Thread other : others) {
      other.join();
    }
    state.sent += MESSAGES;
    state.sink.await(state.sent);
    return state.sent;
  }

  private static void third(Send send) {
    try {
      for (int i = 0; i < MESSAGES / 3; i++) {
        send.message(i);
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @State(Scope.Benchmark)
  public static class SequencerQueue extends Running {
    final BlockingQueue<Long> queue = queue();

    @Override
    Sink sink() {
      return new Sink(false);
    }

    @Setup(Level.Trial)
    public void set() {
      start(() -> sink.accept(queue.take()));
    }
  }

  @State(Scope.Benchmark)
  public static class SequencerRing extends Ring {
    @Override
    Sink sink() {
      return new Sink(false);
    }

    @Override
    ProducerType producers() {
      return ProducerType.MULTI;
    }

    @Setup(Level.Trial)
    public void set() {
      disruptor.handleEventsWith((slot, sequence, last) -> sink.accept(slot.value));
      disruptor.start();
    }
  }

  @Benchmark
  public long sequencerArrayBlockingQueue(SequencerQueue state) throws InterruptedException {
    return byThree(state, state.queue::put);
  }

  @Benchmark
  public long sequencerDisruptor(SequencerRing state) throws InterruptedException {
    return byThree(state, state::publish);
  }

  // Multicast: three consumers, each of all messages.

  @State(Scope.Benchmark)
  public static class MulticastQueue extends Running {
    final List<BlockingQueue<Long>> queues = List.of(queue(), queue(), queue());
    final List<Sink> sinks = List.of(sink, new Sink(true), new Sink(true));

    @Setup(Level.Trial)
    public void set() {
      for (int i = 0; i < queues.size(); i++) {
        BlockingQueue<Long> queue = queues.get(i);
        Sink each = sinks.get(i);
        start(() -> each.accept(queue.take()));
      }
    }
  }

  @State(Scope.Benchmark)
  public static class MulticastRing extends Ring {
    final List<Sink> sinks = List.of(sink, new Sink(true), new Sink(true));

    @Setup(Level.Trial)
    public void set() {
      for (Sink each : sinks) {
        disruptor.handleEventsWith((slot, sequence, last) -> each.accept(slot.value));
      }
      disruptor.start();
    }
  }

  @Benchmark
  public long multicastArrayBlockingQueue(MulticastQueue state) throws InterruptedException {
    state.run(value -> {
      for (BlockingQueue<Long> queue : state.queues) {
        queue.put(value);
      }
    });
    state.sinks.forEach(each -> each.await(state.sent));
    return state.sent;
  }

  @Benchmark
  public long multicastDisruptor(MulticastRing state) throws InterruptedException {
    state.run(state::publish);
    state.sinks.forEach(each -> each.await(state.sent));
    return state.sent;
  }

  // Diamond: two consumers of all messages, and a third of what both have done.

  @State(Scope.Benchmark)
  public static class DiamondQueue extends Running {
    final BlockingQueue<Long> left = queue();
    final BlockingQueue<Long> right = queue();
    final BlockingQueue<Long> leftDone = queue();
    final BlockingQueue<Long> rightDone = queue();

    @Setup(Level.Trial)
    public void set() {
      start(() -> leftDone.put(left.take()));
      start(() -> rightDone.put(right.take()));
      start(() -> {
        long value = leftDone.take();
        sink.accept(rightDone.take() == value ? value : Sink.BROKEN);
      });
    }
  }

  @State(Scope.Benchmark)
  public static class DiamondRing extends Ring {
    @Setup(Level.Trial)
    public void set() {
      disruptor.handleEventsWith(
              (slot, sequence, last) -> slot.first = slot.value, (slot, sequence, last) -> slot.second = slot.value)
          .then((slot, sequence, last) -> sink.accept(slot.first == slot.second ? slot.first : Sink.BROKEN));
      disruptor.start();
    }
  }

  @Benchmark
  public long diamondArrayBlockingQueue(DiamondQueue state) throws InterruptedException {
    return state.run(value -> {
      state.left.put(value);
      state.right.put(value);
    });
  }

  @Benchmark
  public long diamondDisruptor(DiamondRing state) throws InterruptedException {
    return state.run(state::publish);
  }
}
