package perflab.mailbox.peer

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.consumeEach
import kotlinx.coroutines.future.asCompletableFuture
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import perflab.mailbox.actor.ActorRef
import perflab.mailbox.actor.ActorSystem
import perflab.mailbox.actor.Asker
import perflab.mailbox.actor.RefusedException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.function.Consumer
import java.util.function.Function
import kotlin.time.Duration.Companion.seconds

/**
 * Coroutines that each iterate over a [Channel], on [Dispatchers.Default]: as many threads as there are cores, and none for an
 * idle actor. Those threads are the process's and outlive the system; they are daemons.
 */
public class ChannelActors : ActorSystem {
    /** A supervisor, so that an actor that fails takes no other with it. */
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    private val registry: MutableSet<ChannelActor<*>> = ConcurrentHashMap.newKeySet()

    override fun <M> spawn(handler: Consumer<in M>): ActorRef<M> = start(Channel(Channel.UNLIMITED), handler)

    private class Question<Q, A>(val content: Q, val reply: CompletableDeferred<A>)

    /** A question that the actor did not come to is cancelled with the channel. */
    override fun <Q, A> spawnAnswering(answer: Function<in Q, out A>): Asker<Q, A> {
        val questions = Channel<Question<Q, A>>(Channel.UNLIMITED) { it.reply.cancel() }
        val server = start(questions) { it.reply.complete(answer.apply(it.content)) }
        return object : Asker<Q, A> {
            override fun ask(question: Q): CompletableFuture<A> {
                val reply = CompletableDeferred<A>()
                if (!server.tell(Question(question, reply))) {
                    reply.completeExceptionally(RefusedException())
                }
                return reply.asCompletableFuture()
            }

            override fun close() = server.close()
        }
    }

    private fun <M> start(channel: Channel<M>, handler: Consumer<in M>): ChannelActor<M> {
        val actor = ChannelActor(channel, handler)
        registry.add(actor)
        actor.startIn(scope) { registry.remove(actor) }
        return actor
    }

    override fun close() {
        registry.forEach { it.stop() }
        registry.forEach { it.close() }
        scope.cancel()
    }
}

/**
 * Senders claim a cell by one fetch-and-add, the coroutine suspends when there is nothing to receive.
 *
 * A handler that throws ends the coroutine and, through [consumeEach], the channel: from then on [tell] returns false.
 */
private class ChannelActor<M>(private val channel: Channel<M>, private val handler: Consumer<in M>) : ActorRef<M> {
    private lateinit var job: Job

    fun startIn(scope: CoroutineScope, atEnd: () -> Unit) {
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
