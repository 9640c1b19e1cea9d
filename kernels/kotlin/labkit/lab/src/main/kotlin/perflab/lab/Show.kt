package perflab.lab

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.jetbrains.kotlinx.jupyter.api.DisplayResult
import org.jetbrains.kotlinx.jupyter.api.KotlinKernelHost
import org.jetbrains.kotlinx.jupyter.api.setDisplayId
import java.util.UUID
import kotlin.math.roundToInt
import kotlin.math.roundToLong
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeMark
import kotlin.time.TimeSource

/** A MIME bundle as the lab made it; the kernel's own `MIME(...)` would turn the JSON of a chart into text. */
internal class Bundle(
    private val data: JsonObject,
    private val metadata: JsonObject = JsonObject(emptyMap()),
    override val id: String? = null,
) : DisplayResult {
    override fun toJson(additionalMetadata: JsonObject, overrideId: String?): JsonObject {
        val message = hashMapOf<String, JsonElement>(
            "data" to data,
            "metadata" to JsonObject(metadata + additionalMetadata),
        )
        message.setDisplayId(overrideId ?: id, force = true)
        return JsonObject(message)
    }

    companion object {
        fun of(vararg texts: Pair<String, String>) =
            Bundle(JsonObject(texts.toMap().mapValues { JsonPrimitive(it.value) }))
    }
}

/** The output of the cell that runs: one line of progress, kept up to date, then the charts. */
internal class Cell(private val host: KotlinKernelHost, private val title: String, private val quiet: Boolean = false) :
    Listener {
    private val id = "perflab-${UUID.randomUUID()}"
    private val start = TimeSource.Monotonic.markNow()
    private var shown: TimeMark? = null

    override var hasShown: Boolean = false
        private set

    override fun progress(done: Double, text: String, secondsLeft: Double?) {
        // Every update is a message to the browser, and one more of the same kind to the notebook's file.
        if (quiet || shown?.let { it.elapsedNow() < UPDATE_INTERVAL } == true) return
        val left = secondsLeft?.let { "${it.roundToLong().seconds} left" }
        val words = listOfNotNull("${(done * 100).roundToInt()} %", text.ifBlank { null }, left).joinToString(" · ")
        val bar = "#".repeat((done * BAR_CELLS).roundToInt()).padEnd(BAR_CELLS, '.')
        val style = "width: 18em; vertical-align: middle"
        show("[$bar] $words", """<progress max="1" value="$done" style="$style"></progress> ${escape(words)}""")
    }

    override fun display(data: JsonObject, metadata: JsonObject) {
        if (quiet) return
        hasShown = true
        host.display(Bundle(data, metadata), null)
    }

    override fun note(text: String) {
        if (!quiet) println(text)
    }

    /** Puts a last line in place of the progress, if there was any. */
    fun finish(word: String) {
        if (shown == null) return
        val text = "$title: $word after ${start.elapsedNow().inWholeSeconds} s"
        show(text, """<span style="opacity: 0.6">${escape(text)}</span>""")
    }

    private fun show(plain: String, html: String) {
        val bundle = Bundle.of("text/plain" to plain, "text/html" to html)
        if (shown == null) host.display(bundle, id) else host.updateDisplay(bundle, id)
        shown = TimeSource.Monotonic.markNow()
    }

    private companion object {
        val UPDATE_INTERVAL = 250.milliseconds
        const val BAR_CELLS = 24

        fun escape(text: String): String = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    }
}
