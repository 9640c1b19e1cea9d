package perflab.queues.pipelines.kilim;

import java.util.Iterator;
import java.util.List;
import kilim.MailboxSPSC;
import kilim.Pausable;
import kilim.Task;

/**
 * The producer: reads the source and deals its words in turn, past mailboxes without room. Where none has room, it lets other tasks
 * run, looks once more, and only then pauses until the next one has. A source that blocks holds up a thread of the scheduler.
 *
 * <p>The mailboxes allow one producer each, and this task is it: its parts run one after the other, though maybe on several
 * threads. Each part is handed to the next by the scheduler's pool, so what one has written the next one sees.
 */
public final class DealingTask extends Task<Void> {

    private static final int NOWHERE = -1;

    private final Iterator<String> words;
    private final List<MailboxSPSC<String>> mailboxes;
    private Throwable failure;

    DealingTask(Iterator<String> words, List<MailboxSPSC<String>> mailboxes) {
        this.words = words;
        this.mailboxes = mailboxes;
    }

    @Override
    public void execute() throws Pausable {
        int last = 0;
        for (String word = next(); word != ScoringTask.END; word = next()) {
            last = put(word, last);
        }
        for (int i = 0; i < mailboxes.size(); i++) {
            mailboxes.get(i).put(ScoringTask.END);
        }
    }

    /** What the source threw; null if nothing. To be read once the task is joined, which happens after its last write. */
    Throwable failure() {
        return failure;
    }

    /** A source that throws is one that ends: the tasks that score have to hear of it. */
    private String next() {
        try {
            return words.hasNext() ? words.next() : ScoringTask.END;
        } catch (RuntimeException | Error e) {
            failure = e;
            return ScoringTask.END;
        }
    }

    /** Returns the mailbox that took the word. */
    private int put(String word, int last) throws Pausable {
        int taker = offer(word, last);
        if (taker == NOWHERE) {
            Task.yield();
            taker = offer(word, last);
        }
        if (taker == NOWHERE) {
            taker = after(last);
            mailboxes.get(taker).put(word);
        }
        return taker;
    }

    /** To the first mailbox after the last taker that has room. */
    private int offer(String word, int last) {
        int taker = last;
        for (int i = 0; i < mailboxes.size(); i++) {
            taker = after(taker);
            if (mailboxes.get(taker).putnb(word)) {
                return taker;
            }
        }
        return NOWHERE;
    }

    private int after(int turn) {
        return (turn + 1) % mailboxes.size();
    }
}
