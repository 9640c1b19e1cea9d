package perflab.lab.stream

import kotlinx.serialization.json.JsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import perflab.lab.LabException
import java.nio.file.Path
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import kotlin.concurrent.thread

class ConversationTest {
    @TempDir
    lateinit var folder: Path

    private val heard = mutableListOf<String>()
    private val ready = CountDownLatch(1)

    private val listener =
        object : Listener {
            override fun progress(message: StreamMessage.Progress) {
                heard += "progress ${message.text}"
                ready.countDown()
            }

            override fun display(message: StreamMessage.Display) {
                heard += "display"
            }

            override fun note(text: String) {
                heard += "note $text"
            }
        }

    private fun run(script: String) = Conversation.run(listOf("sh", "-c", script), folder, listener)

    @Test
    fun `passes on everything in order and returns the result`() {
        val outcome =
            run(
                """
                echo '{"type": "progress", "done": 0.5, "text": "half"}'; echo stray
                echo '{"type": "display", "data": {}}'; echo '{"type": "note", "text": "noisy"}'
                echo '{"type": "result", "data": 7}'; exit 1
                """,
            )
        assertEquals(listOf("progress half", "note stray", "display", "note noisy"), heard)
        assertEquals(Outcome(JsonPrimitive(7), 1), outcome)
    }

    @Test
    fun `throws the error that the command reports`() {
        val error = """{"type": "error", "message": "no JDK", "hint": "install one", "exit": 3}"""
        val thrown = assertThrows(LabException::class.java) { run("echo '$error'; exit 3") }
        assertEquals(listOf("no JDK", "install one", 3), listOf(thrown.text, thrown.hint, thrown.exitStatus))
    }

    @Test
    fun `shows the end of the log of a command that ended without a word`() {
        val thrown = assertThrows(LabException::class.java) { run("seq 100 >&2; exit 9") }
        assertTrue(thrown.text.endsWith("99\n100")) { thrown.text }
        assertFalse("\n79\n" in thrown.text) { thrown.text }
        assertEquals(9, thrown.exitStatus)
    }

    @Test
    fun `does not wait for a reader of a log longer than a pipe`() {
        assertEquals(
            JsonPrimitive(1),
            run("""head -c 1000000 /dev/zero >&2; echo '{"type": "result", "data": 1}'""").data,
        )
    }

    @Test
    fun `an interrupt asks the command to stop and shows its last words, late as they may come`() {
        val started = CompletableFuture<LabProcess>()
        val late = "(sleep 0.1; echo stopped >&2) > /dev/null &"
        val script =
            """trap 'echo "{\"type\": \"note\", \"text\": \"kept\"}"; $late exit 130' INT
               echo '{"type": "progress", "text": "waiting"}'; while true; do sleep 0.05; done"""
        val thrown = CompletableFuture<Throwable>()
        val cell =
            thread {
                runCatching { Conversation.run(listOf("sh", "-c", script), folder, listener, started::complete) }
                    .onFailure(thrown::complete)
            }
        ready.await()
        cell.interrupt()
        val failure = thrown.get() as LabException
        assertEquals(listOf("interrupted", "stopped", 130), listOf(failure.text, failure.hint, failure.exitStatus))
        assertEquals(listOf("progress waiting", "note kept"), heard)
        assertEquals(130, started.get().exitStatus())
    }
}
