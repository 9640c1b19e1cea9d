package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Reactor, in parallel: rails of its parallel scheduler, with buffers that together hold what a queue would. */
public final class Reactor implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        Flux.fromIterable(() -> words)
                .parallel(shape.workers(), shape.queueSizeEach())
                .runOn(Schedulers.parallel(), shape.queueSizeEach())
                .doOnNext(scorer)
                .then()
                .block();
    }
}
