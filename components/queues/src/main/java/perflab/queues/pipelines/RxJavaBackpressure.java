package perflab.queues.pipelines;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** RxJava 3 with one thread that scores, and a buffer of the queue's size, which holds back the thread that reads. */
public final class RxJavaBackpressure implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        Flowable.fromIterable(() -> words)
                .subscribeOn(Schedulers.single())
                .observeOn(Schedulers.computation(), false, shape.queueSize())
                .doOnNext(scorer::accept)
                .ignoreElements()
                .blockingAwait();
    }
}
