package perflab.lab.display

import perflab.lab.stream.StreamMessage
import kotlin.math.roundToInt
import kotlin.math.roundToLong
import kotlin.time.Duration.Companion.seconds

/** Progress as a line of text and as a bar of HTML. */
internal object ProgressText {
    private const val BAR_CELLS = 24

    fun plain(message: StreamMessage.Progress): String {
        val full = (message.done * BAR_CELLS).roundToInt()
        val bar = "#".repeat(full) + ".".repeat(BAR_CELLS - full)
        return "[$bar] ${words(message)}"
    }

    fun html(message: StreamMessage.Progress): String =
        """<progress max="1" value="${message.done}" style="width: 18em; vertical-align: middle"></progress> """ +
            escape(words(message))

    private fun words(message: StreamMessage.Progress): String =
        listOfNotNull(
            "${(message.done * 100).roundToInt()} %",
            message.text.ifBlank { null },
            message.secondsLeft?.let { "${it.roundToLong().seconds} left" },
        ).joinToString(" · ")

    fun escape(text: String): String = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
}
