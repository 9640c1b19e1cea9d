package perflab.lab.variant

import org.jetbrains.kotlinx.jupyter.api.Notebook
import perflab.lab.Checkout
import perflab.lab.CommandRunner
import perflab.lab.LabException
import perflab.lab.component.ComponentManifest
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.security.MessageDigest
import java.util.HexFormat
import kotlin.io.path.createDirectories
import kotlin.reflect.KClass

/** Makes plug-ins from what a reader wrote in cells: source, class files, jar, contract. */
internal class PluginFactory(
    private val notebook: Notebook,
    private val commands: CommandRunner,
    private val checkout: () -> Checkout,
) {
    /** From the cells that define [types], the first of which is the variant. */
    fun fromCells(
        component: ComponentManifest,
        types: List<KClass<*>>,
    ): Plugin {
        val sources = NotebookSources(notebook)
        val name = sources.nameOf(types.first())
        val cells = sources.of(types)
        // The kernel's own loader: the compiler is not on the class path of cells.
        val compiler = KotlinCompiler(notebook::class.java.classLoader)
        return make(component, name, cells.map { it.text }, KOTLIN_HINT) { work, output ->
            compiler.compile(cells, compileClassPath(component), work, output)
        }
    }

    /** From Java source in the running cell. */
    fun fromJava(
        component: ComponentManifest,
        text: String,
    ): Plugin {
        val source = JavaSource(text, "Cell In[${notebook.currentCell?.id ?: "?"}]", linesBefore(text))
        return make(component, source.typeName, listOf(text), hint = "") { _, output ->
            JavaCompiler.compile(source, compileClassPath(component), output)
        }
    }

    private fun make(
        component: ComponentManifest,
        name: String,
        sources: List<String>,
        hint: String,
        compile: (work: Path, output: Path) -> List<Diagnostic>,
    ): Plugin {
        val folder = checkout().generated.resolve("plugins").createDirectories()
        val work = Files.createTempDirectory(folder, "build")
        try {
            val classes = work.resolve("classes").createDirectories()
            val errors = compile(work.resolve("sources"), classes)
            if (errors.isNotEmpty()) throw Diagnostic.failure(name, errors, hint)
            // A name by content: the jar of an earlier attempt may be in use by a measurement.
            val target = folder.resolve("$name-${fingerprint(sources)}.jar")
            PluginJar(
                component.service,
                compileClassPath(component),
            ).write(classes, notebookLibraries(component), target)
            return check(component, name, target)
        } finally {
            work.toFile().deleteRecursively()
        }
    }

    /** Runs the component's contract suite on the plug-in. */
    private fun check(
        component: ComponentManifest,
        name: String,
        jar: Path,
    ): Plugin {
        val result = commands.run("check", component.name) { option("plugin", jar) }
        val checks = result["checks"].list
        val failed = checks.filter { it["passed"].text != "true" }
        if (failed.isNotEmpty() || result.exitStatus != 0) {
            val lines = failed.joinToString("") { "\n  FAILED  ${it["name"].text}: ${it["message"].text}" }
            throw LabException(
                "$name breaks the contract of ${component.name}$lines",
                "a fast wrong answer is no answer",
                4,
            )
        }
        return Plugin(
            component = component.name,
            variants = checks.mapNotNull { it["variant"].text }.distinct(),
            checks = checks.mapNotNull { it["name"].text }.distinct(),
            path = jar,
        )
    }

    private fun compileClassPath(component: ComponentManifest): List<File> =
        component.classPath + notebookLibraries(component)

    private fun notebookLibraries(component: ComponentManifest): List<File> =
        notebook.dependencyManager.currentBinaryClasspath.map { it.absoluteFile.normalize() } -
            component.classPath.toSet()

    private fun linesBefore(text: String): Int {
        val start = notebook.currentCell?.code?.indexOf(text) ?: -1
        return if (start < 0) {
            0
        } else {
            notebook.currentCell!!
                .code
                .substring(0, start)
                .count { it == '\n' }
        }
    }

    private fun fingerprint(sources: List<String>): String {
        val digest = MessageDigest.getInstance("SHA-256").digest(sources.joinToString("\u0000").toByteArray())
        return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES)
    }

    private companion object {
        const val FINGERPRINT_BYTES = 6
        const val KOTLIN_HINT =
            "a variant is compiled on its own, without the notebook's variables: it may use what its own cell " +
                "declares, the classes that lab.variant names after it, and the component; keep statements in " +
                "another cell"
    }
}
