package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.Notebook
import java.nio.file.Files
import kotlin.io.path.createDirectories
import kotlin.io.path.deleteIfExists
import kotlin.io.path.writeText
import kotlin.reflect.KClass

/**
 * The lab in a notebook. Each function runs the command of `./lab` of its name, shows progress and charts in the cell, and
 * returns the command's result. Measuring happens in fresh processes.
 *
 * A failure is a [LabException]. Interrupting the cell ends the command and its children, and keeps what was measured.
 */
public class Lab internal constructor(private val notebook: Notebook) : AutoCloseable {
    private val commands = CommandRunner(notebook)
    private var loaded: Topic? = null

    /** Runs any command of `./lab` with its words, as in `lab.run("runs")`. */
    public fun run(command: String, vararg words: String): LabResult = commands.run(command, words.toList())

    /** The topics of the lab. */
    public fun topics(): LabResult = commands.run("topics")

    /** Builds a topic, unless nothing has changed since it was built: `lab.build("mailbox")`. */
    public fun build(component: String): LabResult = commands.run("build", component)

    /** Builds a topic and puts it on the class path of the cells that follow: `lab.load("mailbox")`. */
    public fun load(component: String) {
        build(component)
        loaded = Topic.of(component, commands).also { commands.addToClassPath(it.classPath) }
    }

    /** A topic's scenarios, parameters and variants: `lab.describe("mailbox")`. */
    public fun describe(component: String, plugin: Plugin? = null): LabResult =
        commands.run("describe", component, "plugin" to plugin?.path)

    /**
     * Measures variants against each other, in fresh processes.
     *
     * Example: `lab.measure("mailbox", scenario = "burst", variants = listOf("resizable", "linked"), quick = true)`
     *
     * @param scenario the topic's first one by default
     * @param variants all that support the scenario if empty
     * @param params the scenario's parameters; those not named keep their defaults
     * @param plugin a variant of your own, measured with the others
     * @param baseline the variant that the others are compared with
     * @param metric one of the scenario's other metrics instead of its headline
     * @param quick half a minute
     * @param rigorous half an hour
     * @param budgetSeconds no round begins after this time
     */
    public fun measure(
        component: String,
        scenario: String? = null,
        variants: List<String> = emptyList(),
        params: Map<String, Any> = emptyMap(),
        plugin: Plugin? = null,
        baseline: String? = null,
        metric: String? = null,
        quick: Boolean = false,
        rigorous: Boolean = false,
        budgetSeconds: Int? = null,
    ): LabResult = commands.run(
        "measure",
        component,
        "scenario" to scenario,
        // Without names all are measured, the plug-in's among them.
        "variant" to if (variants.isEmpty()) variants else (variants + plugin?.variants.orEmpty()).distinct(),
        "param" to params,
        "plugin" to plugin?.path,
        "baseline" to baseline,
        "metric" to metric,
        "quick" to quick,
        "rigorous" to rigorous,
        "budget" to budgetSeconds,
    )

    /**
     * Measures functions without parameters against each other, in fresh processes. The cells that define them are compiled
     * alone, so they should hold nothing but imports, data and functions. The first function is the baseline.
     *
     * Example: `lab.bench("linear", "binary", quick = true)`
     *
     * @param profile shows where the time goes instead: `cpu`, `wall`, `lock` or `alloc`
     */
    public fun bench(
        vararg functions: String,
        quick: Boolean = false,
        rigorous: Boolean = false,
        budgetSeconds: Int? = null,
        profile: String? = null,
    ): LabResult {
        val text = NotebookSources(notebook).defining(functions.toList()).joinToString("\n") { it.text }
        val file = commands.folder("cells").createDirectories().resolve(functions.joinToString("-", postfix = ".kt"))
        file.writeText(text + "\n")
        return commands.run(
            "bench",
            functions.toList(),
            "functions" to file,
            "quick" to quick,
            "rigorous" to rigorous,
            "budget" to budgetSeconds,
            "profile" to profile,
        )
    }

    /** Measures a variant against itself: any difference is this machine's. */
    public fun noise(
        component: String,
        scenario: String? = null,
        variant: String? = null,
        params: Map<String, Any> = emptyMap(),
        quick: Boolean = false,
        rigorous: Boolean = false,
    ): LabResult = commands.run(
        "noise",
        component,
        "scenario" to scenario,
        "variant" to variant,
        "param" to params,
        "quick" to quick,
        "rigorous" to rigorous,
    )

    /**
     * Shows where a variant spends its time; against another one, what differs.
     *
     * Example: `lab.profile("mailbox", scenario = "burst", variant = "resizable", against = "linked", mode = "wall")`
     *
     * @param variant the plug-in's by default
     * @param mode `cpu`, `wall` (waiting included), `lock` or `alloc`
     */
    public fun profile(
        component: String,
        scenario: String? = null,
        variant: String? = null,
        against: String? = null,
        mode: String? = null,
        params: Map<String, Any> = emptyMap(),
        plugin: Plugin? = null,
    ): LabResult = commands.run(
        "profile",
        component,
        "scenario" to scenario,
        "variant" to (variant ?: plugin?.variants?.first()),
        "against" to against,
        "mode" to mode,
        "param" to params,
        "plugin" to plugin?.path,
    )

    /** A run's chart: `lab.chart(run, "distribution")`; the lab's choice without a kind. */
    public fun chart(run: LabResult, kind: String? = null): LabResult = chart(run.requireId(), kind)

    /** The chart of a run by its id, or of the `latest`. */
    public fun chart(run: String, kind: String? = null): LabResult = commands.run("chart", run, "kind" to kind)

    /**
     * Draws what threads did when, a row per thread.
     *
     * Example: `lab.timeline("a stall", listOf(Span("consumer", "waits", begun, woken)), listOf(Moment(sent, "sent")))`
     */
    public fun timeline(title: String, spans: List<Span>, moments: List<Moment> = emptyList()): LabResult {
        val file = Files.createTempFile("timeline", ".json")
        try {
            file.writeText(timelineJson(title, spans, moments))
            return commands.run("timeline", file.toString())
        } finally {
            file.deleteIfExists()
        }
    }

    /** Shows a run again, or what changed between two: `lab.compare(before, after, variant = "linked")`. */
    public fun compare(
        first: LabResult,
        second: LabResult? = null,
        variant: String? = null,
        baseline: String? = null,
        metric: String? = null,
    ): LabResult = commands.run(
        "compare",
        listOfNotNull(first, second).map { it.requireId() },
        "variant" to variant,
        "baseline" to baseline,
        "metric" to metric,
    )

    /** All variants of a topic by the scenarios of its table, and their scores: `lab.table("queues")`. */
    public fun table(component: String): LabResult = commands.run("table", component)

    /** The verdicts on a report's claims; with [statements] only what the report says. */
    public fun claims(report: String, statements: Boolean = false): LabResult =
        commands.run("claims", report, "statements" to statements)

    /**
     * Makes a plug-in of a class that a cell defines, and checks that it keeps the topic's contract: a class that implements
     * the topic's interface and has a constructor without parameters. The cell is compiled alone, so it should hold nothing but
     * imports and declarations; classes of other cells that it uses are named in [with].
     *
     * Example: `val mine = lab.variant(MyMailbox::class)`
     *
     * @param component the topic; the one loaded last by default
     */
    public fun variant(type: KClass<*>, vararg with: KClass<*>, component: String? = null): Plugin =
        PluginFactory(notebook, commands, topic(component)).fromCells(listOf(type, *with))

    /**
     * As [variant], from Java source.
     *
     * Example: `val mine = lab.java(""" public class MyMailbox<E> implements perflab.mailbox.Mailbox<E> { ... } """)`
     */
    public fun java(source: String, component: String? = null): Plugin =
        PluginFactory(notebook, commands, topic(component)).fromJava(source)

    /** Ends the command that runs, if one does. */
    override fun close(): Unit = commands.close()

    override fun toString(): String = "the lab; lab.topics() shows what there is"

    private fun topic(component: String?): Topic {
        if (component != null && component != loaded?.name) load(component)
        return loaded
            ?: throw LabException("no component is loaded", "begin with lab.load(\"mailbox\")", exitStatus = 2)
    }
}
