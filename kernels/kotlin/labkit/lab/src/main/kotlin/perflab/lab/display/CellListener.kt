package perflab.lab.display

import org.jetbrains.kotlinx.jupyter.api.KotlinKernelHost
import perflab.lab.stream.Listener
import perflab.lab.stream.StreamMessage
import java.util.UUID
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.TimeMark
import kotlin.time.TimeSource

/** Shows what a command says in the output of the cell that runs: one line of progress, kept up to date, then the charts. */
internal class CellListener(
    private val host: KotlinKernelHost,
    private val title: String,
) : Listener {
    private val id = "perflab-${UUID.randomUUID()}"
    private val start = TimeSource.Monotonic.markNow()
    private var shown: TimeMark? = null

    /** How many bundles were shown. */
    var bundles: Int = 0
        private set

    override fun progress(message: StreamMessage.Progress) {
        // Every update is a message to the browser, and one more of the same kind to the notebook's file.
        if (shown?.let { it.elapsedNow() < UPDATE_INTERVAL } == true) return
        show(ProgressText.plain(message), ProgressText.html(message))
    }

    override fun display(message: StreamMessage.Display) {
        bundles++
        host.display(Bundle(message.data, message.metadata), null)
    }

    override fun note(text: String): Unit = println(text)

    /** Puts a last line in place of the progress, if there was any. */
    fun finish(word: String) {
        if (shown == null) return
        val text = "$title: $word after ${start.elapsedNow().inWholeSeconds} s"
        show(text, """<span style="opacity: 0.6">${ProgressText.escape(text)}</span>""")
    }

    private fun show(
        plain: String,
        html: String,
    ) {
        val bundle = Bundle.of("text/plain" to plain, "text/html" to html)
        if (shown == null) host.display(bundle, id) else host.updateDisplay(bundle, id)
        shown = TimeSource.Monotonic.markNow()
    }

    private companion object {
        val UPDATE_INTERVAL = 250.milliseconds
    }
}
