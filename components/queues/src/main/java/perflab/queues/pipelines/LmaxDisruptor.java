package perflab.queues.pipelines;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventTranslatorTwoArg;
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
 * LMAX Disruptor with its blocking wait. Every handler sees every slot of the ring, and with n handlers each scores every nth: since
 * version 4 the library has no handlers that share the work by themselves. The ring and its handlers outlive a run.
 */
public final class LmaxDisruptor implements Pipeline {

    /** What the handlers have to know of a run. */
    private record Run(Consumer<String> scorer, CountDownLatch ended) {}

    /** Where a word is while it waits. */
    private static final class Slot {
        private String word;
        private Run run;
    }

    /** A worker: sees every slot, and scores its share. */
    private record Handler(int worker, int workers, CountDownLatch started) implements EventHandler<Slot> {

        @Override
        public void onStart() {
            started.countDown();
        }

        @Override
        public void onEvent(Slot slot, long sequence, boolean endOfBatch) {
            if (slot.word == Take.END) {
                slot.run.ended().countDown();
            } else if (sequence % workers == worker) {
                slot.run.scorer().accept(slot.word);
            }
        }
    }

    private static final EventTranslatorTwoArg<Slot, String, Run> FILL = (slot, sequence, word, run) -> {
        slot.word = word;
        slot.run = run;
    };

    private Shape shape;
    private Disruptor<Slot> disruptor;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws InterruptedException {
        if (shape != this.shape) {
            close();
            start(shape);
        }
        Run run = new Run(scorer, new CountDownLatch(shape.workers()));
        try {
            while (words.hasNext()) {
                disruptor.publishEvent(FILL, words.next(), run);
            }
        } finally {
            disruptor.publishEvent(FILL, Take.END, run);
            run.ended().await();
        }
    }

    private void start(Shape shape) throws InterruptedException {
        this.shape = shape;
        disruptor = new Disruptor<>(
                Slot::new,
                Util.ceilingNextPowerOfTwo(shape.queueSize()),
                DaemonThreadFactory.INSTANCE,
                ProducerType.SINGLE,
                new BlockingWaitStrategy());
        CountDownLatch started = new CountDownLatch(shape.workers());
        for (int i = 0; i < shape.workers(); i++) {
            disruptor.handleEventsWith(new Handler(i, shape.workers(), started));
        }
        disruptor.start();
        started.await(); // to a shutdown, a handler whose thread has not begun yet is one that has nothing left to do
    }

    @Override
    public void close() {
        if (disruptor != null) {
            disruptor.shutdown();
        }
    }
}
