package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.KotlinKernelHost
import org.jetbrains.kotlinx.jupyter.api.Notebook
import org.jetbrains.kotlinx.jupyter.api.libraries.libraryDefinition
import perflab.lab.display.CellListener
import perflab.lab.stream.Conversation
import perflab.lab.stream.LabProcess
import java.io.File

/** Runs commands of `./lab` on behalf of the cell that is being executed, one at a time. */
internal class CommandRunner(
    private val notebook: Notebook,
    private val checkout: () -> Checkout,
) : AutoCloseable {
    @Volatile
    private var running: LabProcess? = null

    /** Where the running cell shows things. */
    private val host: KotlinKernelHost
        get() = notebook.executionHost ?: throw LabException("the lab can only be used from the cells of a notebook")

    /**
     * Runs `./lab [name] [positional] [options] --stream`.
     *
     * @throws LabException if the command did not come to a result
     */
    fun run(
        name: String,
        vararg positional: String,
        options: Arguments.() -> Unit = {},
    ): LabResult {
        val arguments = Arguments().apply { positional.forEach(::word) }.apply(options)
        val listener = CellListener(host, listOf(name, *positional).joinToString(" "))
        val checkout = checkout()
        val command = listOf(checkout.launcher.toString(), name) + arguments.words + "--stream"
        return try {
            val outcome = Conversation.run(command, checkout.root, listener) { running = it }
            listener.finish("done")
            LabResult(outcome.data, outcome.exitStatus, shown = listener.bundles > 0)
        } catch (failure: LabException) {
            listener.finish("stopped")
            throw failure
        } finally {
            running = null
        }
    }

    /**
     * Puts [classPath] on the class path of the cells that follow.
     *
     * Only a library reaches both the compiler and the loader of cells, and only after the running cell, because the
     * kernel executes no cell within another.
     */
    fun addToClassPath(classPath: List<File>) {
        val definition = libraryDefinition { it.dependencies = classPath.map(File::toString) }
        host.scheduleExecution { addLibrary(definition) }
    }

    /** Ends the command that runs, if one does. */
    override fun close() {
        running?.close()
    }
}
