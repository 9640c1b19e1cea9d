package perflab.lab

import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

class ConversationTest {
    @TempDir
    lateinit var folder: Path

    private val heard = mutableListOf<String>()
    private val ready = CountDownLatch(1)

    private val listener = object : Listener {
        override val hasShown = false

        override fun progress(done: Double, text: String, secondsLeft: Double?) {
            heard += "progress $done $text"
            ready.countDown()
        }

        override fun display(data: JsonObject, metadata: JsonObject) {
            heard += "display"
        }

        override fun note(text: String) {
            heard += "note $text"
        }
    }

    private fun run(script: String) =
        LabProcess(listOf("sh", "-c", script), folder).use { Conversation(it, listener).hold() }

    @Test
    fun `passes on everything in order and returns the result`() {
        val result = run(
            """
            echo '{"type": "progress", "done": 1.3, "text": "half"}'; echo stray; echo '{"type": "pro'
            echo '{"type": "display", "data": {}}'; echo '{"type": "note", "text": "noisy"}'; echo '[1]'
            echo '{"type": "result", "data": 7}'; exit 1
            """,
        )
        val notes = listOf("note stray", "note {\"type\": \"pro", "display", "note noisy", "note [1]")
        assertEquals(listOf("progress 1.0 half") + notes, heard)
        assertEquals(listOf(JsonPrimitive(7), 1), listOf(result.json, result.exitStatus))
    }

    @Test
    fun `throws the error that the command reports`() {
        val error = """{"type": "error", "message": "no JDK", "hint": "install one", "exit": 3}"""
        val thrown = assertThrows(LabException::class.java) { run("echo '$error'; exit 3") }
        assertEquals(listOf("no JDK", "install one", 3), listOf(thrown.text, thrown.hint, thrown.exitStatus))
    }

    @Test
    fun `shows the end of the log of a command that ended without a word, be it longer than a pipe`() {
        val thrown = assertThrows(LabException::class.java) { run("seq 100000 >&2; exit 9") }
        assertTrue(thrown.text.endsWith("99999\n100000")) { thrown.text }
        assertFalse("\n99979\n" in thrown.text) { thrown.text }
        assertEquals(9, thrown.exitStatus)
    }

    @Test
    fun `an interrupt asks the command to stop and shows its last words, late as they may come`() {
        val late = "(sleep 0.1; echo stopped >&2) > /dev/null &"
        val script =
            """trap 'echo "{\"type\": \"note\", \"text\": \"kept\"}"; $late exit 130' INT
               echo '{"type": "progress", "text": "waiting"}'; while true; do sleep 0.05; done"""
        val thrown = CompletableFuture<Throwable>()
        val cell = thread { runCatching { run(script) }.onFailure(thrown::complete) }
        ready.await()
        cell.interrupt()
        val failure = thrown.get() as LabException
        assertEquals(listOf("interrupted", "stopped", 130), listOf(failure.text, failure.hint, failure.exitStatus))
        assertEquals(listOf("progress 0.0 waiting", "note kept"), heard)
    }
}
