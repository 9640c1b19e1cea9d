// The cell of the class in "Exercise: an implementation of your own".
//
// Whoever reads words scores them: no queue, no hand-over, nobody to wake. A batch pays for the lock, and all batches together stay below the
// 32 words that may be under way, so that the source never has to sleep.
import java.util.concurrent.Executors

class MyPipeline : Pipeline {
    private val helpers = Executors.newCachedThreadPool { work -> Thread(work).apply { isDaemon = true } }

    override fun run(words: Iterator<String>, scorer: Consumer<String>, shape: Shape) {
        val turn = Turn(words, maxOf(1, 24 / shape.workers()))
        val helping = List(shape.workers() - 1) { helpers.submit { score(turn, scorer) } }
        score(turn, scorer)
        helping.forEach { it.get() }
        turn.failure?.let { throw it }
    }

    override fun close() = helpers.shutdown()

    private fun score(turn: Turn, scorer: Consumer<String>) {
        while (true) turn.read().ifEmpty { return }.forEach(scorer::accept)
    }

    /** Who has it reads; one at a time. After a failure of the source there is nothing more to read. */
    private class Turn(private val words: Iterator<String>, private val most: Int) {
        var failure: Throwable? = null

        @Synchronized fun read(): List<String> = buildList {
            try {
                while (failure == null && size < most && words.hasNext()) add(words.next())
            } catch (thrown: Throwable) { failure = thrown }
        }
    }
}
