package perflab.queues.quasar;

import co.paralleluniverse.fibers.SuspendExecution;
import co.paralleluniverse.strands.SuspendableRunnable;
import co.paralleluniverse.strands.channels.ReceivePort;
import java.util.function.Consumer;

/** A worker: suspended, without a thread, while its channel is empty. The agent instruments it, because it may be suspended. */
final class ScoringFiber implements SuspendableRunnable {

    private static final long serialVersionUID = 1L;

    /** Comes after the last word; told from a word by its identity. */
    @SuppressWarnings("StringOperationCanBeSimplified") // an object of its own is the point
    static final String END = new String("end");

    private final transient ReceivePort<String> channel;
    private final transient Consumer<String> scorer;

    ScoringFiber(ReceivePort<String> channel, Consumer<String> scorer) {
        this.channel = channel;
        this.scorer = scorer;
    }

    @Override
    public void run() throws SuspendExecution, InterruptedException {
        for (String word = channel.receive(); word != END; word = channel.receive()) {
            scorer.accept(word);
        }
    }
}
