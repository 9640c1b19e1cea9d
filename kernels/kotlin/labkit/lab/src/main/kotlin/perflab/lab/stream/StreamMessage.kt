package perflab.lab.stream

import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.intOrNull
import kotlinx.serialization.json.jsonPrimitive

/** A line that `./lab ... --stream` prints, see docs/protocol.md, "The stream between perflab and a notebook". */
internal sealed interface StreamMessage {
    /** How far the command is: [done] from 0 to 1; replaces the one before it. */
    data class Progress(
        val done: Double,
        val text: String,
        val secondsLeft: Double?,
    ) : StreamMessage

    /** A remark that stays. */
    data class Note(
        val text: String,
    ) : StreamMessage

    /** A MIME bundle to show as it is. */
    data class Display(
        val data: JsonObject,
        val metadata: JsonObject,
    ) : StreamMessage

    /** What the command is about. It may come with a status that is not zero: a claim that did not hold, say. */
    data class Result(
        val data: JsonElement,
    ) : StreamMessage

    /** The last line if not all went well. */
    data class Failure(
        val message: String,
        val hint: String,
        val exit: Int?,
    ) : StreamMessage

    companion object {
        /** The message in [line], or null where it is none: a stray print, say, or a type of a later protocol. */
        fun parse(line: String): StreamMessage? =
            try {
                (Json.parseToJsonElement(line) as? JsonObject)?.let(::read)
            } catch (_: SerializationException) {
                null
            } catch (_: IllegalArgumentException) {
                null
            }

        private fun read(json: JsonObject): StreamMessage? =
            when (json.text("type")) {
                "progress" -> {
                    Progress(
                        done = (json.number("done") ?: 0.0).coerceIn(0.0, 1.0),
                        text = json.text("text").orEmpty(),
                        secondsLeft = json.number("seconds_left"),
                    )
                }

                "note" -> {
                    Note(json.text("text").orEmpty())
                }

                "display" -> {
                    (json["data"] as? JsonObject)?.let {
                        Display(
                            it,
                            json["metadata"] as? JsonObject ?: JsonObject(emptyMap()),
                        )
                    }
                }

                "result" -> {
                    Result(json["data"] ?: JsonNull)
                }

                "error" -> {
                    Failure(
                        message = json.text("message") ?: "failed without saying why",
                        hint = json.text("hint").orEmpty(),
                        exit = json["exit"]?.jsonPrimitive?.intOrNull,
                    )
                }

                else -> {
                    null
                }
            }

        private fun JsonObject.text(key: String): String? = this[key]?.jsonPrimitive?.contentOrNull

        private fun JsonObject.number(key: String): Double? = this[key]?.jsonPrimitive?.doubleOrNull
    }
}
