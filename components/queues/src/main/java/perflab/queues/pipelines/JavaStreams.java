package perflab.queues.pipelines;

import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * A parallel stream over a source of unknown length, in the common pool. The stream takes words in arrays of 1024, then 2048, and so on,
 * before it scores the first: no back pressure, and one thread for all when there are few words.
 */
public final class JavaStreams implements Pipeline {

    private static final int ONCE_EACH = Spliterator.NONNULL | Spliterator.DISTINCT;

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        StreamSupport.stream(Spliterators.spliteratorUnknownSize(words, ONCE_EACH), true)
                .forEach(scorer);
    }
}
