package perflab.lab

import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.addJsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray

/** A thread in one state, from [startNs] to [endNs] of [System.nanoTime] or any other common clock. */
public data class Span(
    val thread: String,
    val state: String,
    val startNs: Long,
    val endNs: Long,
    val note: String = "",
)

/** Something that happened at one instant, marked through all threads. */
public data class Moment(val atNs: Long, val label: String)

internal fun timelineJson(title: String, spans: List<Span>, moments: List<Moment>): String = buildJsonObject {
    put("title", title)
    putJsonArray("spans") {
        spans.forEach {
            addJsonObject {
                put("thread", it.thread)
                put("state", it.state)
                put("start_ns", it.startNs)
                put("end_ns", it.endNs)
                put("note", it.note)
            }
        }
    }
    putJsonArray("moments") {
        moments.forEach {
            addJsonObject {
                put("at_ns", it.atNs)
                put("label", it.label)
            }
        }
    }
}.let(JsonObject::toString)
