package perflab.queues.pipelines;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * RxJava 3, in parallel: the caller's thread deals the words to rails of {@link Schedulers#computation}. The buffers are the library's
 * own, of 128 words for each rail, which is more than the soft limit of the modes with back pressure.
 */
public final class RxJavaParallel implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        Flowable.fromIterable(() -> words)
                .parallel(shape.workers())
                .runOn(Schedulers.computation())
                .doOnNext(scorer::accept)
                .sequential()
                .ignoreElements()
                .blockingAwait();
    }
}
