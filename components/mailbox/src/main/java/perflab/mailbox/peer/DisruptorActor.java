package perflab.mailbox.peer;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import perflab.mailbox.actor.ActorRef;

/**
 * Producers retry a compare-and-set and take the lock of {@link BlockingWaitStrategy} to signal; the actor is the ring's
 * only event handler.
 *
 * @param <M> the type of the messages
 */
final class DisruptorActor<M> implements ActorRef<M> {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    /** Where a message is while it waits; the slots are the ring's, and used again. */
    private static final class Slot<M> {
        private M message;
    }

    private final EventTranslatorOneArg<Slot<M>, M> fill = (slot, sequence, message) -> slot.message = message;
    private final Disruptor<Slot<M>> disruptor;
    private final RingBuffer<Slot<M>> ring;
    private final Consumer<? super DisruptorActor<M>> atStop;
    private Thread thread;

    DisruptorActor(int capacity, Consumer<? super M> handler, Consumer<? super DisruptorActor<M>> atStop) {
        this.atStop = atStop;
        disruptor = new Disruptor<>(Slot::new, capacity, this::thread, ProducerType.MULTI, new BlockingWaitStrategy());
        disruptor.handleEventsWith(handlingBy(handler));
        ring = disruptor.getRingBuffer();
    }

    /** Clears the slot, or the ring would keep every message until its slot's next turn. */
    private static <M> EventHandler<Slot<M>> handlingBy(Consumer<? super M> handler) {
        return (slot, sequence, endOfBatch) -> {
            M message = slot.message;
            slot.message = null;
            handler.accept(message);
        };
    }

    private Thread thread(Runnable processor) {
        thread = DaemonThreadFactory.INSTANCE.newThread(processor);
        return thread;
    }

    void start() {
        disruptor.start();
    }

    @Override
    public boolean tell(M message) {
        return ring.tryPublishEvent(fill, message);
    }

    /** One claim for all of them, where there is room for all. */
    @Override
    @SuppressWarnings("unchecked") // the array goes nowhere but into the ring, element by element
    public int tellAll(List<? extends M> messages) {
        int count = messages.size();
        boolean fits = count > 0 && count <= ring.getBufferSize();
        return fits && ring.tryPublishEvents(fill, (M[]) messages.toArray()) ? count : ActorRef.super.tellAll(messages);
    }

    /** Includes the messages of the batch in hand. */
    @Override
    public OptionalInt backlog() {
        return OptionalInt.of((int) (ring.getBufferSize() - ring.remainingCapacity()));
    }

    @Override
    public boolean isAlive() {
        return thread.isAlive();
    }

    /** Ends the processor after the batch in hand, which is all that it found when it last looked. */
    @Override
    public void stop() {
        disruptor.halt();
        atStop.accept(this);
    }

    @Override
    public void close() {
        stop();
        try {
            if (!thread.join(STOP_LIMIT)) {
                throw new IllegalStateException("the processor did not stop within " + STOP_LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
