package perflab.lab.stream

import java.io.UncheckedIOException
import java.nio.file.Path
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import kotlin.time.Duration

/**
 * One `./lab COMMAND ... --stream` process, read line by line.
 *
 * Two daemon threads drain its pipes, so that the cell's thread only ever waits on a queue: a read from a pipe cannot be
 * interrupted, a wait on a queue can.
 */
internal class LabProcess(
    command: List<String>,
    folder: Path,
) : AutoCloseable {
    private val process = ProcessBuilder(command).directory(folder.toFile()).start()
    private val output = LinkedBlockingQueue<Output>()
    private val log = LogTail(LOG_LINES_KEPT)
    private val logReader: Thread

    init {
        process.outputStream.close()
        thread(isDaemon = true, name = "perflab stdout") {
            process.inputReader().eachLine { output.put(Output.Line(it)) }
            output.put(Output.End)
        }
        logReader = thread(isDaemon = true, name = "perflab stderr") { process.errorReader().eachLine(log::add) }
    }

    /**
     * The next line of its standard output, or the end of it.
     *
     * @throws InterruptedException if the cell is interrupted while waiting
     */
    fun next(): Output = output.take()

    /** As [next], but null if there is nothing within [limit]. */
    fun next(limit: Duration): Output? = output.poll(limit.inWholeMilliseconds, TimeUnit.MILLISECONDS)

    /** Its exit status, once it has ended. */
    fun exitStatus(): Int = process.waitFor()

    /** The last lines of its standard error, once it has ended. */
    fun logTail(): String {
        logReader.join()
        return log.toString()
    }

    /** Waits until its standard error is read to the end, at most for [limit]. */
    fun awaitLog(limit: Duration) = logReader.join(limit.inWholeMilliseconds)

    /** What Ctrl-C does in a terminal. Java itself can send no other signals than SIGTERM and SIGKILL. */
    fun interrupt() {
        ProcessBuilder("kill", "-INT", process.pid().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
    }

    /** Ends what is left of it, with its children: an orphaned bench program would spoil the next measurement. */
    override fun close() {
        // The list is taken first: once the parent is gone, its children are no longer its descendants.
        val children = process.descendants().toList()
        process.destroyForcibly()
        children.forEach { it.destroyForcibly() }
    }

    /** What the process wrote: a line, or nothing any more. */
    sealed interface Output {
        data class Line(
            val text: String,
        ) : Output

        data object End : Output
    }

    private companion object {
        const val LOG_LINES_KEPT = 20

        fun java.io.BufferedReader.eachLine(take: (String) -> Unit) =
            try {
                useLines { it.forEach(take) }
            } catch (_: java.io.IOException) {
                // The pipe of a process that was ended by force: its last words are lost, as they should be.
            } catch (_: UncheckedIOException) {
                // As above.
            }
    }
}

/** The last [limit] lines of a log. */
private class LogTail(
    private val limit: Int,
) {
    private val lines = ArrayDeque<String>()

    @Synchronized
    fun add(line: String) {
        if (lines.size == limit) lines.removeFirst()
        lines.addLast(line)
    }

    @Synchronized
    override fun toString(): String = lines.joinToString("\n")
}
