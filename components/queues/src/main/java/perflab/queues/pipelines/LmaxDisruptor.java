package perflab.queues.pipelines;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import com.lmax.disruptor.util.Util;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * LMAX Disruptor with its blocking wait. A handler sees every slot of the ring and scores its share of them, each so manieth: since version
 * 4 the library has no handlers that share the work by themselves.
 */
public final class LmaxDisruptor implements Pipeline {

    /** Where a word is while it waits. */
    private static final class Slot {
        private String word;
    }

    /** A worker: sees every slot, and scores its share. */
    private record Handler(int worker, int workers, Consumer<String> scorer, CountDownLatch started)
            implements EventHandler<Slot> {

        @Override
        public void onStart() {
            started.countDown();
        }

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            if (sequence % workers == worker) {
                scorer.accept(slot.word);
            }
        }
    }

    private static final EventTranslatorOneArg<Slot, String> FILL = (slot, sequence, word) -> slot.word = word;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        Disruptor<Slot> disruptor = new Disruptor<>(
                Slot::new,
                Util.ceilingNextPowerOfTwo(shape.queueSize()),
                DaemonThreadFactory.INSTANCE,
                ProducerType.SINGLE,
                new BlockingWaitStrategy());
        CountDownLatch started = new CountDownLatch(shape.workers());
        for (int i = 0; i < shape.workers(); i++) {
            disruptor.handleEventsWith(new Handler(i, shape.workers(), scorer, started));
        }
        RingBuffer<Slot> ring = disruptor.start();
        // To the shutdown below, a handler whose thread has not begun yet is one that has nothing left to do.
        started.await();
        try {
            while (words.hasNext()) {
                ring.publishEvent(FILL, words.next());
            }
        } finally {
            disruptor.shutdown(); // when all slots have been seen by all handlers
        }
    }
}
