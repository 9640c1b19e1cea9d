package perflab.queues.pipelines

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import perflab.queues.Pipeline
import perflab.queues.Shape
import java.util.function.Consumer

/** kotlinx.coroutines: a bounded channel, and a coroutine for each worker on [Dispatchers.Default]; whoever has to wait is suspended. */
class KotlinChannel : Pipeline {
    override fun run(words: Iterator<String>, scorer: Consumer<String>, shape: Shape) = runBlocking {
        val channel = Channel<String>(shape.queueSize())
        repeat(shape.workers()) {
            launch(Dispatchers.Default) {
                for (word in channel) {
                    scorer.accept(word)
                }
            }
        }
        try {
            for (word in words) {
                channel.send(word)
            }
        } finally {
            channel.close()
        }
    }
}
