package perflab.queues.pipelines.kilim;

import java.util.function.Consumer;
import kilim.MailboxSPSC;
import kilim.Pausable;
import kilim.Task;

/** A worker: pauses, without a thread, while its mailbox is empty. */
public final class ScoringTask extends Task<Void> {

    /** Comes after the last word; told from a word by its identity. */
    @SuppressWarnings("StringOperationCanBeSimplified") // an object of its own is the point
    static final String END = new String("end");

    private final MailboxSPSC<String> mailbox;
    private final Consumer<String> scorer;

    ScoringTask(MailboxSPSC<String> mailbox, Consumer<String> scorer) {
        this.mailbox = mailbox;
        this.scorer = scorer;
    }

    @Override
    public void execute() throws Pausable {
        for (String word = mailbox.get(); word != END; word = mailbox.get()) {
            scorer.accept(word);
        }
    }
}
