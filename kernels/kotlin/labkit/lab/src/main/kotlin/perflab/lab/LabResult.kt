package perflab.lab

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import perflab.lab.display.Bundle

/**
 * What a command returned, the same as `./lab COMMAND --json` prints.
 *
 * Example: `lab.describe("mailbox")["variants", 0, "name"].text`
 *
 * @property json the whole of it
 * @property exitStatus 0, or 1 for a shortfall and 4 for a failure that the result tells of
 */
public class LabResult internal constructor(
    public val json: JsonElement,
    public val exitStatus: Int = 0,
    private val shown: Boolean = false,
) {
    /** What is at [path]: keys of objects and indices of arrays; a JSON null if there is nothing. */
    public operator fun get(vararg path: Any): LabResult =
        LabResult(
            path.fold(json) { at, step ->
                when {
                    step is String && at is JsonObject -> at[step]
                    step is Int && at is JsonArray -> at.getOrNull(step)
                    else -> null
                } ?: JsonNull
            },
        )

    /** It as text, or null if it is no text, number or boolean. */
    public val text: String? get() = (json as? JsonPrimitive)?.contentOrNull

    /** It as a number, or null if it is none. */
    public val number: Double? get() = (json as? JsonPrimitive)?.doubleOrNull

    /** The elements of an array; none if it is no array. */
    public val list: List<LabResult> get() = (json as? JsonArray).orEmpty().map { LabResult(it) }

    /** The run's id, for commands that leave one: `measure`, `noise`, `profile`. */
    public val id: String? get() = this["id"].text ?: this["run"].text ?: this["run", "id"].text

    internal fun requireId(): String =
        id ?: throw LabException("this result is of no run", "pass what lab.measure returned", exitStatus = 2)

    override fun toString(): String = text ?: pretty.encodeToString(JsonElement.serializer(), json)

    /** As the value of a cell: the JSON, or nothing where the command has already shown its figures above. */
    internal fun rendered(): Any = if (shown) Unit else Bundle.of("text/plain" to toString())

    private companion object {
        val pretty = Json { prettyPrint = true }
    }
}
