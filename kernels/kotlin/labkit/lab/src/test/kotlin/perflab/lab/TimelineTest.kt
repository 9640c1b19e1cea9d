package perflab.lab

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class TimelineTest {
    @Test
    fun `spans and moments are written under the names that the lab reads`() {
        val spans = listOf(Span("consumer", "waits", 5, 9))
        val json = Json.parseToJsonElement(timelineJson("a \"stall\"", spans, listOf(Moment(7, "sent")))).jsonObject
        assertEquals("a \"stall\"", json.getValue("title").jsonPrimitive.content)
        val span =
            json
                .getValue("spans")
                .jsonArray
                .single()
                .jsonObject
        assertEquals(setOf("thread", "state", "start_ns", "end_ns", "note"), span.keys)
        assertEquals(5L, span.getValue("start_ns").jsonPrimitive.long)
        val moment =
            json
                .getValue("moments")
                .jsonArray
                .single()
                .jsonObject
        assertEquals(7L, moment.getValue("at_ns").jsonPrimitive.long)
    }
}
