package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.Notebook
import perflab.lab.component.ComponentManifest
import perflab.lab.variant.NotebookSources
import perflab.lab.variant.Plugin
import perflab.lab.variant.PluginFactory
import java.nio.file.Files
import kotlin.io.path.createDirectories
import kotlin.io.path.deleteIfExists
import kotlin.io.path.writeText
import kotlin.reflect.KClass

/**
 * The lab in a notebook. Every function starts the command of `./lab` that is called like it, shows in the cell how far it
 * is and what it found, and returns what the command returned. Measuring happens in fresh processes, never in the kernel,
 * whose JIT history and heap would spoil it.
 *
 * A failure is a [LabException]. Interrupting the cell ends the command and its children, and keeps what was measured.
 */
public class Lab internal constructor(
    private val notebook: Notebook,
) : AutoCloseable {
    // Looked for at the first command, because an error in `%use` is wrapped into one of the kernel's.
    private val checkout by lazy { Checkout.above(notebook.workingDir) }
    private val commands = CommandRunner(notebook) { checkout }
    private val plugins = PluginFactory(notebook, commands) { checkout }
    private var loaded: ComponentManifest? = null

    /** The topics of the lab, and the bottleneck that each is about. */
    public fun topics(): LabResult = commands.run("topics")

    /**
     * Builds a component with its own tool, unless nothing has changed since it was built.
     *
     * Example: `lab.build("mailbox")`
     */
    public fun build(component: String): LabResult = commands.run("build", component)

    /**
     * Builds a component and puts it on the class path of the cells that follow.
     *
     * Example: `lab.load("mailbox")`, and in the next cell `import perflab.mailbox.*`
     */
    public fun load(component: String) {
        build(component)
        val manifest = ComponentManifest.read(component, checkout.component(component))
        commands.addToClassPath(manifest.classPath)
        loaded = manifest
    }

    /**
     * A component's scenarios with their parameters, and its variants.
     *
     * Example: `lab.describe("mailbox")`
     */
    public fun describe(
        component: String,
        plugin: Plugin? = null,
    ): LabResult = commands.run("describe", component) { option("plugin", plugin?.path) }

    /**
     * Measures variants against each other: rounds of fresh processes in random order, until the intervals are narrow
     * enough or the time is over.
     *
     * Examples: `lab.measure("mailbox", scenario = "burst", variants = listOf("resizable", "linked"), quick = true)`,
     * `lab.measure("mailbox", params = mapOf("producers" to 4), plugin = mine)`
     *
     * @param scenario what is measured; the component's first one without it
     * @param variants names from [describe]; all that support the scenario if empty
     * @param params the scenario's parameters; those not named keep their defaults
     * @param plugin a variant of the reader's own, measured with the others
     * @param baseline the variant that the others are compared with
     * @param metric one of the scenario's further metrics instead of its headline
     * @param quick half a minute: which way it goes
     * @param rigorous half an hour: to publish
     * @param budgetSeconds begins no round after this time
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
    ): LabResult =
        commands.run("measure", component) {
            // No variant named means all of them, the plug-in's among them.
            val chosen = if (variants.isEmpty()) variants else (variants + plugin?.variants.orEmpty()).distinct()
            option("scenario", scenario)
            each("variant", chosen)
            params(params)
            option("plugin", plugin?.path)
            option("baseline", baseline)
            option("metric", metric)
            flag("quick", quick)
            flag("rigorous", rigorous)
            option("budget", budgetSeconds)
        }

    /**
     * Measures functions without arguments against each other, in fresh processes, without a topic: each process calls one
     * of them over and over.
     *
     * The cells that define them are compiled alone, without the notebook's variables, so they should hold nothing but
     * imports, data and functions.
     *
     * Example: `lab.bench("linear", "binary", quick = true)`
     *
     * @param functions their names; the first is the baseline
     * @param quick half a minute: which way it goes
     * @param rigorous half an hour: to publish
     * @param budgetSeconds begins no round after this time
     * @param profile shows where the time goes, and measures nothing: `cpu`, `wall`, `lock` or `alloc`
     */
    public fun bench(
        vararg functions: String,
        quick: Boolean = false,
        rigorous: Boolean = false,
        budgetSeconds: Int? = null,
        profile: String? = null,
    ): LabResult {
        val text = NotebookSources(notebook).defining(functions.toList()).joinToString("\n") { it.text }
        val folder = checkout.generated.resolve("cells").createDirectories()
        val file = folder.resolve(functions.joinToString("-", postfix = ".kt"))
        file.writeText(text + "\n")
        return commands.run("bench", *functions) {
            option("functions", file)
            flag("quick", quick)
            flag("rigorous", rigorous)
            option("budget", budgetSeconds)
            option("profile", profile)
        }
    }

    /**
     * Measures a variant against itself: whatever differs then is this machine.
     *
     * Example: `lab.noise("mailbox", scenario = "burst", variant = "linked", quick = true)`
     */
    public fun noise(
        component: String,
        scenario: String? = null,
        variant: String? = null,
        params: Map<String, Any> = emptyMap(),
        quick: Boolean = false,
        rigorous: Boolean = false,
    ): LabResult =
        commands.run("noise", component) {
            option("scenario", scenario)
            option("variant", variant)
            params(params)
            flag("quick", quick)
            flag("rigorous", rigorous)
        }

    /**
     * Where a variant spends its time, as a flame view and a table of causes; against another variant, what differs.
     *
     * Example: `lab.profile("mailbox", scenario = "burst", variant = "resizable", against = "linked", mode = "wall")`
     *
     * @param variant whose time it is; the plug-in's without it
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
    ): LabResult =
        commands.run("profile", component) {
            option("scenario", scenario)
            option("variant", variant ?: plugin?.variants?.first())
            option("against", against)
            option("mode", mode)
            params(params)
            option("plugin", plugin?.path)
        }

    /**
     * A run's chart.
     *
     * Example: `lab.chart(run, "distribution")`
     *
     * @param kind which chart; the lab's choice without it
     */
    public fun chart(
        run: LabResult,
        kind: String? = null,
    ): LabResult = chart(run.requireId(), kind)

    /** As above, for a run by its id or `latest`. */
    public fun chart(
        run: String,
        kind: String? = null,
    ): LabResult = commands.run("chart", run) { option("kind", kind) }

    /**
     * What threads did when, as a picture with a row per thread.
     *
     * Example: `lab.timeline("a stall", listOf(Span("consumer", "waits", begun, woken)), listOf(Moment(sent, "sent")))`
     *
     * @param spans at least one
     */
    public fun timeline(
        title: String,
        spans: List<Span>,
        moments: List<Moment> = emptyList(),
    ): LabResult {
        val file = Files.createTempFile("timeline", ".json")
        try {
            file.writeText(timelineJson(title, spans, moments))
            return commands.run("timeline", file.toString())
        } finally {
            file.deleteIfExists()
        }
    }

    /**
     * What a run says again, or what changed between two.
     *
     * Example: `lab.compare(before, after, variant = "linked")`
     */
    public fun compare(
        first: LabResult,
        second: LabResult? = null,
        variant: String? = null,
        baseline: String? = null,
        metric: String? = null,
    ): LabResult =
        commands.run("compare", *listOfNotNull(first.requireId(), second?.requireId()).toTypedArray()) {
            option("variant", variant)
            option("baseline", baseline)
            option("metric", metric)
        }

    /**
     * All variants of a topic by the scenarios of its table: how close each comes to the best, what is void, the worst case
     * beside it, and the scores over all.
     *
     * It is made of what was measured on this machine, else of the committed reference runs.
     *
     * Example: `lab.table("queues")`
     */
    public fun table(component: String): LabResult = commands.run("table", component)

    /**
     * The verdicts on a report's claims.
     *
     * Examples: `lab.claims("cajun")`, and before anything is measured `lab.claims("cajun", statements = true)`
     *
     * @param statements only what the report says, for readers who want to predict
     */
    public fun claims(
        report: String,
        statements: Boolean = false,
    ): LabResult = commands.run("claims", report) { flag("statements", statements) }

    /**
     * Makes a plug-in of a class that a cell of this notebook defines, and checks that it keeps the component's contract.
     *
     * The cell is compiled on its own, so it should hold nothing but imports and declarations. What it needs from other
     * cells is named after it.
     *
     * Example: `val mine = lab.variant(MyMailbox::class)`
     *
     * @param type implements the component's interface; has a constructor without arguments
     * @param with classes of other cells that it uses
     * @param component whose variant it is; the one loaded last without it
     */
    public fun variant(
        type: KClass<*>,
        vararg with: KClass<*>,
        component: String? = null,
    ): Plugin = plugins.fromCells(manifest(component), listOf(type, *with))

    /**
     * As [variant], from Java source.
     *
     * Example: `val mine = lab.java(""" public class MyMailbox<E> implements perflab.mailbox.Mailbox<E> { ... } """)`
     */
    public fun java(
        source: String,
        component: String? = null,
    ): Plugin = plugins.fromJava(manifest(component), source)

    /** Ends the command that runs, if one does. */
    override fun close(): Unit = commands.close()

    override fun toString(): String = "the lab; lab.topics() shows what there is"

    private fun manifest(component: String?): ComponentManifest {
        if (component != null && component != loaded?.name) load(component)
        return loaded
            ?: throw LabException("no component is loaded", "begin with lab.load(\"mailbox\")", exitStatus = 2)
    }
}
