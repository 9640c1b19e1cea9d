package perflab.lab.stream

import kotlinx.serialization.json.JsonElement
import perflab.lab.LabException
import java.nio.file.Path
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** Who is told what a command says while it runs. */
internal interface Listener {
    fun progress(message: StreamMessage.Progress)

    fun display(message: StreamMessage.Display)

    /** A remark, or a line that is no message of the stream: that one may be the only trace of a fault. */
    fun note(text: String)
}

/** What a command returned, and the status it ended with. */
internal data class Outcome(
    val data: JsonElement,
    val exitStatus: Int,
)

/** One command from its start to its result. */
internal class Conversation(
    private val process: LabProcess,
    private val listener: Listener,
) {
    private var result: StreamMessage.Result? = null
    private var failure: StreamMessage.Failure? = null

    /**
     * Passes on what the command says until it ends.
     *
     * @return its `result`
     * @throws LabException with its `error`, or if it ended without a result, or on an interrupt
     */
    fun hold(): Outcome =
        try {
            while (true) {
                when (val output = process.next()) {
                    is LabProcess.Output.Line -> take(output.text)
                    is LabProcess.Output.End -> break
                }
            }
            outcome()
        } catch (_: InterruptedException) {
            throw interrupted()
        }

    private fun take(line: String) {
        when (val message = StreamMessage.parse(line)) {
            is StreamMessage.Progress -> listener.progress(message)
            is StreamMessage.Display -> listener.display(message)
            is StreamMessage.Result -> result = message
            is StreamMessage.Failure -> failure = message
            is StreamMessage.Note -> listener.note(message.text)
            null -> if (line.isNotBlank()) listener.note(line)
        }
    }

    private fun outcome(): Outcome {
        val status = process.exitStatus()
        failure?.let { throw LabException(it.message, it.hint, it.exit ?: status) }
        val data =
            result?.data
                ?: throw LabException(
                    "./lab ended with status $status and no result\n${process.logTail()}".trim(),
                    exitStatus = status,
                )
        return Outcome(data, status)
    }

    /** Asks the command to stop, shows what it still has to show, and ends it by force if it does not. */
    private fun interrupted(): LabException {
        process.interrupt()
        val start = TimeSource.Monotonic.markNow()
        try {
            var left = GRACE
            while (left.isPositive()) {
                when (val output = process.next(left)) {
                    is LabProcess.Output.Line -> take(output.text)
                    is LabProcess.Output.End -> {
                        process.awaitLog(LAST_WORDS)
                        break
                    }
                    null -> break
                }
                left = GRACE - start.elapsedNow()
            }
        } catch (_: InterruptedException) {
            // Interrupted again: the reader does not want to wait.
        }
        process.close()
        return LabException(failure?.message ?: "interrupted", failure?.hint ?: process.logTail(), INTERRUPTED)
    }

    companion object {
        /** How long the lab may take to end its children and to seal the run. */
        private val GRACE: Duration = 15.seconds

        /** How long its log may take to follow: closing the process closes the pipe with what was not read yet. */
        private val LAST_WORDS: Duration = 5.seconds

        /** 128 + SIGINT, as shells say it. */
        private const val INTERRUPTED = 130

        /** Runs [command] in [folder] and tells [listener] what it says. */
        fun run(
            command: List<String>,
            folder: Path,
            listener: Listener,
            started: (LabProcess) -> Unit = {},
        ): Outcome =
            LabProcess(command, folder).use { process ->
                started(process)
                Conversation(process, listener).hold()
            }
    }
}
