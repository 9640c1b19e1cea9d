package perflab.lab.display

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.jetbrains.kotlinx.jupyter.api.DisplayResult
import org.jetbrains.kotlinx.jupyter.api.setDisplayId

/**
 * A MIME bundle exactly as the lab made it.
 *
 * The kernel's own `MIME(...)` takes strings only, and would turn the JSON objects of a chart into text.
 */
internal class Bundle(
    private val data: JsonObject,
    private val metadata: JsonObject = JsonObject(emptyMap()),
    override val id: String? = null,
) : DisplayResult {
    override fun toJson(
        additionalMetadata: JsonObject,
        overrideId: String?,
    ): JsonObject {
        val message =
            hashMapOf<String, JsonElement>(
                "data" to data,
                "metadata" to JsonObject(metadata + additionalMetadata),
            )
        message.setDisplayId(overrideId ?: id, force = true)
        return JsonObject(message)
    }

    companion object {
        /** A bundle of texts. */
        fun of(vararg texts: Pair<String, String>): Bundle =
            Bundle(JsonObject(texts.toMap().mapValues { JsonPrimitive(it.value) }))
    }
}
