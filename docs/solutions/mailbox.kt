// The cell of the class in "Exercise: a mailbox of your own".
//
// Against mpsc-repaired: a producer claims its place by one fetch-and-add, which never has to be tried again, where that one retries a
// compare-and-set; and chunks that have been emptied are used again, where it makes new ones. The wake-up is the same protocol.
import java.lang.invoke.VarHandle
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.LockSupport
import org.jctools.queues.MpscUnboundedXaddArrayQueue

class MyMailbox<E : Any> : Mailbox<E> {
    private val queue = MpscUnboundedXaddArrayQueue<E>(1024, 2)
    @Volatile private var waiter: Thread? = null

    override fun offer(message: E): Boolean {
        queue.offer(message)
        VarHandle.fullFence() // the message first, then the look at who waits; the consumer does it the other way round
        waiter?.let { waiter = null; LockSupport.unpark(it) }
        return true
    }

    override fun poll(timeout: Long, unit: TimeUnit): E? = queue.poll() ?: if (timeout > 0) await(unit.toNanos(timeout)) else null

    override fun take(): E = queue.poll() ?: await(Long.MAX_VALUE)!!

    private fun await(limit: Long): E? {
        val begun = System.nanoTime()
        try {
            while (!Thread.interrupted()) {
                waiter = Thread.currentThread()
                VarHandle.fullFence()
                queue.poll()?.let { return it }
                val left = limit - (System.nanoTime() - begun)
                if (left <= 0) return null
                LockSupport.parkNanos(this, left)
            }
        } finally { waiter = null }
        throw InterruptedException()
    }

    override fun drainTo(sink: MutableCollection<in E>, max: Int): Int {
        var moved = 0
        while (moved < max) { sink.add(queue.poll() ?: break); moved++ }
        return moved
    }
    override fun size() = queue.size
    override fun capacity() = Int.MAX_VALUE
}
