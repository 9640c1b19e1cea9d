package perflab.lab

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.doubleOrNull
import kotlinx.serialization.json.intOrNull
import org.jetbrains.kotlinx.jupyter.api.KotlinKernelHost
import org.jetbrains.kotlinx.jupyter.api.Notebook
import org.jetbrains.kotlinx.jupyter.api.libraries.libraryDefinition
import java.io.BufferedReader
import java.io.File
import java.io.IOException
import java.io.UncheckedIOException
import java.nio.file.Path
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.concurrent.thread
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** Runs commands of `./lab`, whose stream docs/protocol.md describes. */
internal class CommandRunner(private val notebook: Notebook) : AutoCloseable {
    // Looked for at the first command, because an error in `%use` is wrapped into one of the kernel's.
    private val root by lazy { checkoutAbove(notebook.workingDir) }

    @Volatile
    private var running: LabProcess? = null

    private val host: KotlinKernelHost
        get() = notebook.executionHost ?: throw LabException("the lab can only be used from the cells of a notebook")

    /** A folder for what is made on this machine and never committed. */
    fun folder(name: String): Path = root.resolve(".lab").resolve(name)

    fun run(name: String): LabResult = run(name, emptyList())

    fun run(name: String, word: String, vararg options: Pair<String, Any?>): LabResult =
        run(name, listOf(word), *options)

    /** Runs `./lab NAME WORDS --option value ... --stream` and shows in the cell what it says. */
    fun run(name: String, words: List<String>, vararg options: Pair<String, Any?>): LabResult {
        val cell = Cell(host, (listOf(name) + words).joinToString(" "))
        try {
            val result = talk(listOf(name) + words + options.flatMap { (option, value) -> words(option, value) }, cell)
            cell.finish("done")
            return result
        } catch (failure: LabException) {
            cell.finish("stopped")
            throw failure
        }
    }

    /** The same, and the cell shows nothing of it. */
    fun ask(name: String, word: String): LabResult = talk(listOf(name, word), Cell(host, "", quiet = true))

    /**
     * Puts [classPath] on the class path of the cells that follow. Only a library reaches both the compiler and the loader of
     * cells, and only after the running cell, because the kernel executes no cell within another.
     */
    fun addToClassPath(classPath: List<File>) {
        val definition = libraryDefinition { it.dependencies = classPath.map(File::toString) }
        host.scheduleExecution { addLibrary(definition) }
    }

    override fun close() {
        running?.close()
    }

    private fun talk(words: List<String>, cell: Cell): LabResult =
        LabProcess(listOf(root.resolve("lab").toString()) + words + "--stream", root).use {
            running = it
            Conversation(it, cell).hold()
        }

    private fun words(option: String, value: Any?): List<String> = when (value) {
        null, false -> emptyList()
        true -> listOf("--$option")
        is Map<*, *> -> value.flatMap { (key, one) -> listOf("--$option", "$key=$one") }
        is List<*> -> value.flatMap { listOf("--$option", it.toString()) }
        else -> listOf("--$option", value.toString())
    }
}

internal fun checkoutAbove(start: Path): Path = generateSequence(start.toAbsolutePath().normalize()) { it.parent }
    .firstOrNull { it.resolve("lab").isRegularFile() && it.resolve("components").isDirectory() }
    ?: throw LabException(
        "this notebook is not inside a checkout of perflab",
        "open it from the checkout's notebooks folder",
        exitStatus = 3,
    )

/** Where a command's messages go. */
internal interface Listener {
    fun progress(done: Double, text: String, secondsLeft: Double?)

    fun display(data: JsonObject, metadata: JsonObject)

    fun note(text: String)

    val hasShown: Boolean
}

/** One command from its start to its result. */
internal class Conversation(private val process: LabProcess, private val listener: Listener) {
    private var result: JsonElement? = null
    private var failure: LabException? = null

    /** Passes on what the command says until it ends; throws its error, or that it was interrupted. */
    fun hold(): LabResult = try {
        while (true) take(process.next() ?: break)
        val status = process.exitStatus()
        failure?.let { throw it }
        val data = result
            ?: throw LabException(
                "./lab ended with status $status and no result\n${process.logTail()}".trim(),
                "",
                status,
            )
        LabResult(data, status, listener.hasShown)
    } catch (_: InterruptedException) {
        throw interrupted()
    }

    private fun take(line: String) {
        val message = parse(line)
        val none = JsonObject(emptyMap())
        when (message?.text("type")) {
            "progress" -> listener.progress(
                (message.number("done") ?: 0.0).coerceIn(0.0, 1.0),
                message.text("text"),
                message.number("seconds_left"),
            )

            "display" -> listener.display(
                message["data"] as? JsonObject ?: none,
                message["metadata"] as? JsonObject ?: none,
            )

            "note" -> listener.note(message.text("text"))

            "result" -> result = message["data"] ?: JsonNull

            "error" -> {
                val exit = (message["exit"] as? JsonPrimitive)?.intOrNull ?: process.exitStatus()
                failure = LabException(message.text("message"), message.text("hint"), exit)
            }

            // No message: it may be the only trace of a fault.
            else -> if (line.isNotBlank()) listener.note(line)
        }
    }

    /** Asks the command to stop, shows what it still has to show, and ends it by force if it does not. */
    private fun interrupted(): LabException {
        process.interrupt()
        val start = TimeSource.Monotonic.markNow()
        try {
            while (true) take(process.next((GRACE - start.elapsedNow()).inWholeMilliseconds) ?: break)
            process.logTail(LAST_WORDS_MS)
        } catch (_: InterruptedException) {
            // Interrupted again: the reader does not want to wait.
        }
        process.close()
        return LabException(failure?.text ?: "interrupted", failure?.hint ?: process.logTail(), INTERRUPTED)
    }

    private fun parse(line: String): JsonObject? = try {
        Json.parseToJsonElement(line) as? JsonObject
    } catch (_: IllegalArgumentException) {
        null
    }

    private fun JsonObject.text(key: String): String = (this[key] as? JsonPrimitive)?.contentOrNull.orEmpty()

    private fun JsonObject.number(key: String): Double? = (this[key] as? JsonPrimitive)?.doubleOrNull

    private companion object {
        /** How long the lab may take to end its children and to seal the run. */
        val GRACE = 15.seconds
        const val LAST_WORDS_MS = 5_000L

        /** 128 + SIGINT, as shells say it. */
        const val INTERRUPTED = 130
    }
}

/**
 * A process whose pipes are drained by two threads, so that the cell's thread only ever waits on a queue: a read from a pipe
 * cannot be interrupted, a wait on a queue can.
 */
internal class LabProcess(command: List<String>, folder: Path) : AutoCloseable {
    private val process = ProcessBuilder(command).directory(folder.toFile()).start()
    private val output = LinkedBlockingQueue<String>()
    private val log = ArrayDeque<String>()
    private val logReader: Thread

    init {
        process.outputStream.close()
        thread(isDaemon = true) {
            process.inputReader().eachLine(output::put)
            output.put(END)
        }
        logReader = thread(isDaemon = true) {
            process.errorReader().eachLine {
                synchronized(log) {
                    log.addLast(it)
                    if (log.size > LOG_LINES_KEPT) log.removeFirst()
                }
            }
        }
    }

    /** The next line of its standard output; null at its end, or if none comes in time. */
    fun next(limitMs: Long = Long.MAX_VALUE): String? =
        output.poll(limitMs, TimeUnit.MILLISECONDS)?.takeIf { it !== END }

    fun exitStatus(): Int = process.waitFor()

    /** The last lines of its standard error, once it has ended. */
    fun logTail(limitMs: Long = 0): String {
        logReader.join(limitMs)
        return synchronized(log) { log.joinToString("\n") }
    }

    /** Java itself can send no other signals than SIGTERM and SIGKILL. */
    fun interrupt() {
        ProcessBuilder("kill", "-INT", process.pid().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
    }

    /** Ends it with its children: an orphaned bench program would spoil the next measurement. */
    override fun close() {
        // Listed first: once the parent is gone, its children are no longer its descendants.
        val children = process.descendants().toList()
        process.destroyForcibly()
        children.forEach { it.destroyForcibly() }
    }

    private companion object {
        const val LOG_LINES_KEPT = 20
        val END = String()

        fun BufferedReader.eachLine(take: (String) -> Unit) = try {
            useLines { it.forEach(take) }
        } catch (_: IOException) {
            // The pipe of a process that was ended by force.
        } catch (_: UncheckedIOException) {
            // As above.
        }
    }
}
