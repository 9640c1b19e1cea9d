package perflab.lab.stream

import kotlinx.serialization.json.JsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource

class StreamMessageTest {
    @Test
    fun `reads progress without a time left`() {
        val line = """{"type": "progress", "done": 0.42, "text": "round 3 of 8: linked", "seconds_left": null}"""
        assertEquals(StreamMessage.Progress(0.42, "round 3 of 8: linked", null), StreamMessage.parse(line))
    }

    @Test
    fun `keeps progress between nothing and all`() {
        assertEquals(1.0, (StreamMessage.parse("""{"type": "progress", "done": 1.3}""") as StreamMessage.Progress).done)
    }

    @Test
    fun `reads an error without a hint`() {
        val line = """{"type": "error", "message": "no JDK", "exit": 3}"""
        assertEquals(StreamMessage.Failure("no JDK", "", 3), StreamMessage.parse(line))
    }

    @Test
    fun `reads a result that is no object`() {
        assertEquals(StreamMessage.Result(JsonPrimitive(5)), StreamMessage.parse("""{"type": "result", "data": 5}"""))
    }

    @ParameterizedTest
    @ValueSource(
        strings = [
            "",
            "Traceback (most recent call last):",
            "[1, 2]",
            "{\"type\": \"later\"}",
            "{\"type\": [1]}",
            "{\"type\": \"pro",
            "{\"type\": \"display\", \"data\": 3}",
            "{\"type\": \"display\"}",
        ],
    )
    fun `takes what is no message for none`(line: String) {
        assertNull(StreamMessage.parse(line))
    }
}
