package perflab.queues.modes;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The source of one run: gives the words in their order, with latency and back pressure if the mode has them. */
final class Feed implements Iterator<String> {

    private final List<String> words;
    private final int pauseMs;
    private final Outstanding outstanding;
    private int next;

    Feed(List<String> words, int pauseMs, Outstanding outstanding) {
        this.words = words;
        this.pauseMs = pauseMs;
        this.outstanding = outstanding;
    }

    @Override
    public boolean hasNext() {
        return next < words.size();
    }

    @Override
    public String next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        if (pauseMs > 0) {
            Pause.sleep(pauseMs);
        }
        outstanding.give();
        return words.get(next++);
    }
}
