package perflab.queues;

import java.util.Iterator;
import java.util.function.Consumer;

/**
 * A way to have words scored by several threads.
 *
 * <p><b>Exactly once.</b> Every word that the iterator gives is handed to the scorer once, in any order, by any thread; {@link #run}
 * returns when the scorer is done with the last one, and what it did then happened before the return. No thread
 * that a run started outlives it, except those that a pipeline keeps until it is closed.
 *
 * <p><b>The words</b> come from one source, which is read by one thread at a time; which one may change. The source may block,
 * because words come slowly, or because too many of them are under way: it then waits for a while before it gives the next. It
 * may throw, and the run then ends with that exception or one around it.
 *
 * <p><b>The scorer</b> may be called by all threads at once and does not throw.
 */
public interface Pipeline extends AutoCloseable {

    /**
     * Has all words scored. Called again and again, never by two threads at once.
     *
     * @param shape how many workers, and how long the queues
     * @throws Exception what the source threw, or something around it
     */
    void run(Iterator<String> words, Consumer<String> scorer, Shape shape) throws Exception;

    @Override
    default void close() {}
}
