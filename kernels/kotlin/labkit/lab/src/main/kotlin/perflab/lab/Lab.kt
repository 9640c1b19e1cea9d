package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.Notebook
import perflab.lab.display.CellListener
import perflab.lab.stream.Conversation
import perflab.lab.stream.LabProcess

/**
 * The lab in a notebook. Every function starts `./lab` with the command of its own name, shows in the cell how far it is
 * and what it found, and returns what the command returned. Measuring happens in fresh processes, never in the kernel.
 *
 * A failure is a [LabException]. Interrupting the cell ends the command and its children, and keeps what was measured.
 */
public class Lab internal constructor(
    private val notebook: Notebook,
) : AutoCloseable {
    private val checkout by lazy { Checkout.above(notebook.workingDir) }

    @Volatile private var running: LabProcess? = null

    /** The topics of the lab, by bottleneck. */
    public fun topics(): LabResult = command("topics")

    /**
     * Builds a component with its own tool, unless that was done before and nothing has changed.
     *
     * Example: `lab.build("mailbox")`
     */
    public fun build(component: String): LabResult = command("build", component)

    /**
     * A component's scenarios with their parameters, and its variants.
     *
     * Example: `lab.describe("mailbox")`
     */
    public fun describe(component: String): LabResult = command("describe", component)

    /**
     * Measures variants against each other: rounds of fresh processes in random order, until the intervals are narrow
     * enough or the time is over.
     *
     * Example: `lab.measure("mailbox", scenario = "burst", variants = listOf("polling", "linked"), params = mapOf("producers" to 4))`
     *
     * @param variants names from [describe]; the lab's choice if empty
     * @param params the scenario's parameters; those not named keep their defaults
     * @param baseline the variant that the others are compared with
     * @param quick seconds instead of minutes, and wider intervals
     * @param rigorous minutes, and the narrowest intervals
     */
    public fun measure(
        component: String,
        scenario: String? = null,
        variants: List<String> = emptyList(),
        params: Map<String, Any> = emptyMap(),
        baseline: String? = null,
        quick: Boolean = false,
        rigorous: Boolean = false,
    ): LabResult =
        command("measure", component) {
            option("scenario", scenario)
            each("variant", variants)
            params(params)
            option("baseline", baseline)
            flag("quick", quick)
            flag("rigorous", rigorous)
        }

    /** Ends the command that runs, if one does. */
    override fun close() {
        running?.close()
    }

    private fun command(
        name: String,
        vararg positional: String,
        options: Arguments.() -> Unit = {},
    ): LabResult {
        val host = notebook.executionHost ?: throw LabException("the lab can be used from a notebook's cells only")
        val arguments = Arguments().apply { positional.forEach(::word) }.apply(options)
        val listener = CellListener(host, listOf(name, *positional).joinToString(" "))
        val words = listOf(checkout.launcher.toString(), name, *arguments.words.toTypedArray(), "--stream")
        try {
            val data = Conversation.run(words, checkout.root, listener) { running = it }
            listener.finish("done")
            return LabResult(data, shown = listener.bundles > 0)
        } catch (failure: LabException) {
            listener.finish("stopped")
            throw failure
        } finally {
            running = null
        }
    }
}
