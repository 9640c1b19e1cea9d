package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/** One thread, which reads and scores: what every queue has to be better than. */
public final class DirectLoop implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        words.forEachRemaining(scorer);
    }
}
