package perflab.lab

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import org.jetbrains.kotlinx.jupyter.api.declare
import org.jetbrains.kotlinx.jupyter.api.exceptions.ReplMessageOnlyException
import org.jetbrains.kotlinx.jupyter.api.libraries.JupyterIntegration

/**
 * A command failed. The kernel shows the text of a [ReplMessageOnlyException] without its stack trace.
 *
 * @property text what is wrong
 * @property hint what to do about it; may be empty
 * @property exitStatus the exit status of `./lab`; 130 after an interrupt
 */
public class LabException(public val text: String, public val hint: String = "", public val exitStatus: Int = 4) :
    ReplMessageOnlyException(if (hint.isEmpty()) text else "$text\n  hint: $hint", null)

/** `%use perflab` declares `lab`, with the types that it takes and returns, and leaves no process when the kernel ends. */
internal class LabIntegration : JupyterIntegration() {
    override fun Builder.onLoaded() {
        setMinimalKernelVersion("0.19.0.944")
        val lab = Lab(notebook)
        import<LabResult>()
        import<Span>()
        import<Moment>()
        render<LabResult> { it.rendered() }
        onLoaded {
            // Looking for the sources of every dependency costs network round trips at each `%use`, for an IDE's benefit.
            notebook.sessionOptions.resolveSources = false
            declare("lab" to lab)
        }
        onShutdown { lab.close() }
    }
}

/**
 * The result of a command: what `./lab COMMAND --json` prints.
 *
 * Example: `lab.describe("mailbox")["variants", 0, "name"].text`
 *
 * @property json the JSON
 * @property exitStatus the exit status of `./lab`
 */
public class LabResult internal constructor(
    public val json: JsonElement,
    public val exitStatus: Int = 0,
    private val shown: Boolean = false,
) {
    /** The value at a path of keys and indices; a JSON null if there is none. */
    public operator fun get(vararg path: Any): LabResult = LabResult(
        path.fold(json) { at, step ->
            when {
                step is String && at is JsonObject -> at[step]
                step is Int && at is JsonArray -> at.getOrNull(step)
                else -> null
            } ?: JsonNull
        },
    )

    /** A text, number or boolean as text; null for all else. */
    public val text: String? get() = (json as? JsonPrimitive)?.contentOrNull

    /** A number, or null. */
    public val number: Double? get() = (json as? JsonPrimitive)?.doubleOrNull

    /** The elements of an array; none of all else. */
    public val list: List<LabResult> get() = (json as? JsonArray).orEmpty().map { LabResult(it) }

    /** The run's id, for commands that leave one. */
    public val id: String? get() = this["id"].text ?: this["run"].text ?: this["run", "id"].text

    internal fun requireId(): String =
        id ?: throw LabException("this result is of no run", "pass what lab.measure returned", exitStatus = 2)

    override fun toString(): String = text ?: pretty.encodeToString(JsonElement.serializer(), json)

    /** As the value of a cell: the JSON, or nothing where the command has shown its figures. */
    internal fun rendered(): Any = if (shown) Unit else Bundle.of("text/plain" to toString())

    private companion object {
        val pretty = Json { prettyPrint = true }
    }
}
