package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.DisplayResult
import org.jetbrains.kotlinx.jupyter.api.Notebook
import org.jetbrains.kotlinx.jupyter.api.Renderable
import org.w3c.dom.Element
import org.xml.sax.SAXException
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import java.lang.reflect.Modifier
import java.net.URI
import java.net.URLClassLoader
import java.nio.file.Files
import java.nio.file.Path
import java.security.MessageDigest
import java.util.HexFormat
import java.util.Locale
import java.util.jar.Attributes
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream
import java.util.jar.Manifest
import javax.tools.DiagnosticCollector
import javax.tools.JavaFileObject
import javax.tools.SimpleJavaFileObject
import javax.tools.ToolProvider
import javax.xml.parsers.DocumentBuilderFactory
import kotlin.io.path.createDirectories
import kotlin.io.path.extension
import kotlin.io.path.relativeTo
import kotlin.io.path.walk
import kotlin.io.path.writeText
import kotlin.reflect.KClass

/**
 * A variant of your own that compiles and keeps the topic's contract; `lab.measure(..., plugin = it)` measures it.
 *
 * @property component the topic
 * @property variants the names it is measured under, as in `my-mailbox`
 * @property checks the contract's checks that it passed
 */
public class Plugin internal constructor(
    public val component: String,
    public val variants: List<String>,
    public val checks: List<String>,
    internal val path: Path,
) : Renderable {
    override fun toString(): String =
        "${variants.joinToString()}: keeps the contract of $component\n" + checks.joinToString("\n") { "  ok  $it" }

    override fun render(notebook: Notebook): DisplayResult = Bundle.of("text/plain" to toString())
}

/**
 * What a topic says of variants of one's own.
 *
 * @property service the interface that one implements
 * @property classPath what one is compiled against, and what cells see once the topic is loaded
 */
internal class Topic(val name: String, val service: String, val classPath: List<File>) {
    companion object {
        fun of(name: String, commands: CommandRunner): Topic {
            val plugin = commands.ask("describe", name)["plugin"]
            val service = plugin["interface"].text ?: throw LabException(
                "$name takes no variants of your own: its component.toml has no [plugin]",
                exitStatus = 2,
            )
            return Topic(name, service, plugin["classpath"].list.flatMap { entries(File(it.text!!)) })
        }

        /** As the JVM reads a class path: `folder/` followed by a star stands for all jars in the folder. */
        private fun entries(entry: File): List<File> = if (entry.name == "*") {
            entry.parentFile.listFiles { file -> file.extension == "jar" }.orEmpty().sorted()
        } else {
            listOf(entry)
        }
    }
}

/** An error of a compiler, in a line of a cell counted from 1; [place] is null if it is about no place. */
internal data class Diagnostic(val place: String?, val line: Int, val column: Int, val message: String) {
    override fun toString(): String = if (place == null) message else "$place, line $line, column $column: $message"
}

/** Makes plug-ins of what cells hold: source, class files, jar, contract. */
internal class PluginFactory(
    private val notebook: Notebook,
    private val commands: CommandRunner,
    private val topic: Topic,
) {
    private val libraries =
        notebook.dependencyManager.currentBinaryClasspath.map { it.absoluteFile.normalize() } - topic.classPath.toSet()
    private val classPath = topic.classPath + libraries

    /** From the cells that define [types], the first of which is the variant. */
    fun fromCells(types: List<KClass<*>>): Plugin {
        val sources = NotebookSources(notebook)
        val cells = sources.of(types)
        return make(sources.nameOf(types.first()), cells.map { it.text }, KOTLIN_HINT) { work, output ->
            // The kernel's own loader: the compiler is not on the class path of cells.
            compileKotlin(notebook::class.java.classLoader, cells, classPath, work, output)
        }
    }

    /** From Java source in the running cell. */
    fun fromJava(text: String): Plugin {
        val name = (PUBLIC_TYPE.find(text) ?: ANY_TYPE.find(text))?.groupValues?.get(1)
            ?: throw LabException("there is no class in this Java source", exitStatus = 2)
        val cell = notebook.currentCell
        val linesBefore = cell?.code?.substringBefore(text, "")?.count { it == '\n' } ?: 0
        return make(name, listOf(text), hint = "") { _, output ->
            compileJava(name, text, classPath, output).map {
                it.copy(place = it.place?.let { "Cell In[${cell?.id ?: "?"}]" }, line = it.line + linesBefore)
            }
        }
    }

    private fun make(
        name: String,
        sources: List<String>,
        hint: String,
        compile: (work: Path, output: Path) -> List<Diagnostic>,
    ): Plugin {
        val folder = commands.folder("plugins").createDirectories()
        val work = Files.createTempDirectory(folder, "build")
        try {
            val classes = work.resolve("classes").createDirectories()
            val errors = compile(work.resolve("sources"), classes)
            if (errors.isNotEmpty()) {
                throw LabException("$name does not compile\n" + errors.joinToString("\n") { "  $it" }, hint, 2)
            }
            // A name by content: the jar of an earlier attempt may be in use by a measurement.
            val target = folder.resolve("$name-${fingerprint(sources)}.jar")
            writeJar(topic.service, classes, topic.classPath, libraries, target)
            return check(name, target)
        } finally {
            work.toFile().deleteRecursively()
        }
    }

    private fun check(name: String, jar: Path): Plugin {
        val result = commands.run("check", topic.name, "plugin" to jar)
        val checks = result["checks"].list
        val failed = checks.filter { it["passed"].text != "true" }
        if (failed.isNotEmpty() || result.exitStatus != 0) {
            val lines = failed.joinToString("") { "\n  FAILED  ${it["name"].text}: ${it["message"].text}" }
            throw LabException(
                "$name breaks the contract of ${topic.name}$lines",
                "a fast wrong answer is no answer",
                4,
            )
        }
        fun distinct(key: String) = checks.mapNotNull { it[key].text }.distinct()
        return Plugin(topic.name, distinct("variant"), distinct("name"), jar)
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
        const val TYPE = """(?:(?:final|abstract|sealed|non-sealed|strictfp)\s+)*(?:class|record|enum)\s+(\w+)"""
        val PUBLIC_TYPE = Regex("""(?m)^\s*public\s+$TYPE""")
        val ANY_TYPE = Regex("""(?m)^\s*$TYPE""")
    }
}

/** Compiles by the JDK's own compiler to class files in [output]; returns the errors. */
private fun compileJava(name: String, text: String, classPath: List<File>, output: Path): List<Diagnostic> {
    val compiler = ToolProvider.getSystemJavaCompiler() ?: throw LabException(
        "the kernel runs on a Java without a compiler",
        "install a JDK, then ./lab setup",
        exitStatus = 3,
    )
    val found = DiagnosticCollector<JavaFileObject>()
    val path = classPath.joinToString(File.pathSeparator)
    val options = listOf("-proc:none", "-nowarn", "-d", output.toString(), "-classpath", path)
    val source = object : SimpleJavaFileObject(URI("string:///$name.java"), JavaFileObject.Kind.SOURCE) {
        override fun getCharContent(ignoreEncodingErrors: Boolean): CharSequence = text
    }
    compiler.getTask(null, null, found, options, null, listOf(source)).call()
    return found.diagnostics.filter { it.kind == javax.tools.Diagnostic.Kind.ERROR }.map {
        val place = name.takeIf { _ -> it.lineNumber > 0 }
        Diagnostic(place, it.lineNumber.toInt(), it.columnNumber.toInt(), it.getMessage(Locale.ENGLISH))
    }
}

/** The oldest JDK that a topic may run on. */
private const val JVM_TARGET = "21"

/**
 * Compiles by the Kotlin compiler that the kernel carries to class files in [output]; returns the errors.
 *
 * It is called by reflection: the kernel's jar is on no registry to compile against, and a second compiler would cost 60 MB. In
 * the kernel's own process it is warm, and needs half a second where a new JVM needs five.
 */
private fun compileKotlin(
    loader: ClassLoader,
    sources: List<CellSource>,
    classPath: List<File>,
    work: Path,
    output: Path,
): List<Diagnostic> {
    val files = sources.associateBy { work.createDirectories().resolve("Cell${it.cell}.kt") }
    files.forEach { (file, source) -> file.writeText(source.text) }
    val arguments =
        listOf("-nowarn", "-no-stdlib", "-no-reflect", "-jvm-target", JVM_TARGET, "-module-name", "plugin") +
            listOf("-jdk-home", System.getProperty("java.home")) +
            listOf("-classpath", classPath.joinToString(File.pathSeparator)) +
            listOf("-d", output.toString()) + files.keys.map { it.toString() }
    val compiler = loader.loadClass("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler")
    val services = loader.loadClass("org.jetbrains.kotlin.config.Services")
    val execute =
        compiler.getMethod("execAndOutputXml", PrintStream::class.java, services, Array<String>::class.java)
    val printed = ByteArrayOutputStream()
    PrintStream(printed).use {
        val instance = compiler.getConstructor().newInstance()
        execute.invoke(instance, it, services.getField("EMPTY").get(null), arguments.toTypedArray())
    }
    val byPath = files.mapKeys { it.key.toString() }
    return try {
        val document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(
            printed.toString().byteInputStream(),
        )
        listOf("error", "exception")
            .map { document.getElementsByTagName(it) }
            .flatMap { found -> (0 until found.length).map { found.item(it) as Element } }
            .map { element ->
                val source = byPath[element.getAttribute("path")]
                val line = element.getAttribute("line").toIntOrNull() ?: 0
                val column = element.getAttribute("column").toIntOrNull() ?: 0
                Diagnostic(source?.place, line, source?.column(line, column) ?: column, element.textContent.trim())
            }
    } catch (_: SAXException) {
        listOf(Diagnostic(null, 0, 0, printed.toString()))
    }
}

/**
 * Packs class files into a jar that `java.util.ServiceLoader` understands, see docs/protocol.md, "Plug-ins". The manifest points
 * at [libraries] that the classes may need when they run, such as Kotlin's standard library.
 */
private fun writeJar(service: String, classes: Path, classPath: List<File>, libraries: List<File>, target: Path) {
    val providers = providers(service, classes, classPath + libraries)
    val manifest = Manifest()
    manifest.mainAttributes[Attributes.Name.MANIFEST_VERSION] = "1.0"
    manifest.mainAttributes[Attributes.Name.CLASS_PATH] =
        libraries.joinToString(" ") { it.absoluteFile.toURI().toString() }
    JarOutputStream(Files.newOutputStream(target), manifest).use { jar ->
        fun entry(name: String, content: ByteArray) {
            // A fixed time: the same variant makes the same jar.
            jar.putNextEntry(JarEntry(name).apply { time = 0 })
            jar.write(content)
            jar.closeEntry()
        }
        entry("META-INF/services/$service", providers.joinToString("\n", postfix = "\n").toByteArray())
        classes.walk().sorted().forEach { entry(it.relativeTo(classes).joinToString("/"), Files.readAllBytes(it)) }
    }
}

private fun providers(service: String, classes: Path, classPath: List<File>): List<String> {
    val urls = (listOf(classes.toFile()) + classPath).map { it.toURI().toURL() }.toTypedArray()
    URLClassLoader(urls, ClassLoader.getPlatformClassLoader()).use { loader ->
        val wanted = loader.loadClass(service)
        val found = classes.walk()
            .filter { it.extension == "class" }
            .map { loader.loadClass(it.relativeTo(classes).joinToString(".").removeSuffix(".class")) }
            .filter { wanted.isAssignableFrom(it) && !Modifier.isAbstract(it.modifiers) }
            .filter { !it.isAnonymousClass && !it.isLocalClass && !it.isSynthetic && it.enclosingClass == null }
            .toList()
        if (found.isEmpty()) throw LabException("there is no class here that implements $service", exitStatus = 2)
        found.firstOrNull { !it.canBeProvided() }?.let {
            throw LabException(
                "${it.simpleName} cannot be made by the lab",
                "make it public, with a constructor without arguments, or with defaults for all of them",
                exitStatus = 2,
            )
        }
        return found.map { it.name }.sorted()
    }
}

private fun Class<*>.canBeProvided() =
    Modifier.isPublic(modifiers) && constructors.any { it.parameterCount == 0 && Modifier.isPublic(it.modifiers) }
