package perflab.queues.pipelines;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import perflab.queues.Pipeline;
import perflab.queues.Shape;

/**
 * A parallel stream for each chunk of words: its length is known, so that it splits evenly. The source is not
 * read while a chunk is scored, and nobody scores while one is read.
 */
public final class ChunkedStreams implements Pipeline {

    @Override
    public void run(Iterator<String> words, Consumer<String> scorer, Shape shape) {
        List<String> chunk = new ArrayList<>(shape.queueSize());
        while (words.hasNext()) {
            chunk.clear();
            while (chunk.size() < shape.queueSize() && words.hasNext()) {
                chunk.add(words.next());
            }
            chunk.parallelStream().forEach(scorer);
        }
    }
}
