package perflab.mailbox.peer

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.consumeEach
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import perflab.mailbox.actor.ActorRef
import java.util.function.Consumer
import kotlin.time.Duration.Companion.seconds

/**
 * Senders claim a cell by one fetch-and-add, the coroutine suspends when there is nothing to receive.
 *
 * A handler that throws ends the coroutine and, through [consumeEach], the channel: from then on [tell] returns false.
 */
internal class ChannelActor<M>(
    private val channel: Channel<M>,
    private val handler: Consumer<in M>,
) : ActorRef<M> {
    private lateinit var job: Job

    fun startIn(
        scope: CoroutineScope,
        atEnd: () -> Unit,
    ) {
        job = scope.launch { channel.consumeEach { handler.accept(it) } }
        job.invokeOnCompletion { atEnd() }
    }

    override fun tell(message: M): Boolean = channel.trySend(message).isSuccess

    override fun isAlive(): Boolean = job.isActive

    /** By the channel and not by the job: a cancelled job still receives what is there, as that suspends nowhere. */
    override fun stop() = channel.cancel()

    override fun close() {
        stop()
        runBlocking { withTimeout(STOP_LIMIT) { job.join() } }
    }

    private companion object {
        val STOP_LIMIT = 5.seconds
    }
}
