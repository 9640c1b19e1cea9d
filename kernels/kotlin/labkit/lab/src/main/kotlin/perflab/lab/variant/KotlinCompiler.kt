package perflab.lab.variant

import org.w3c.dom.Element
import org.xml.sax.SAXException
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import java.nio.file.Path
import javax.xml.parsers.DocumentBuilderFactory
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

/**
 * The Kotlin compiler that the kernel carries, on whole files.
 *
 * It is called by reflection: the kernel's jar is on no registry to compile against, and a second compiler would cost 60 MB.
 * In the kernel's own process it is warm, and needs half a second where a new JVM needs five.
 */
internal class KotlinCompiler(
    private val loader: ClassLoader,
) {
    /** Compiles [sources] to class files in [output]; returns the errors. */
    fun compile(
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
        return parse(run(arguments), files.mapKeys { it.key.toString() })
    }

    /** What the compiler prints: its messages as XML. */
    private fun run(arguments: List<String>): String {
        val compiler = loader.loadClass("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler")
        val services = loader.loadClass("org.jetbrains.kotlin.config.Services")
        val execute =
            compiler.getMethod(
                "execAndOutputXml",
                PrintStream::class.java,
                services,
                Array<String>::class.java,
            )
        val printed = ByteArrayOutputStream()
        PrintStream(printed).use {
            execute.invoke(
                compiler.getConstructor().newInstance(),
                it,
                services.getField("EMPTY").get(null),
                arguments.toTypedArray(),
            )
        }
        return printed.toString()
    }

    private fun parse(
        xml: String,
        files: Map<String, CellSource>,
    ): List<Diagnostic> =
        try {
            val document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(xml.byteInputStream())
            SEVERITIES
                .flatMap { name ->
                    document.getElementsByTagName(name).let { found ->
                        (0 until found.length).map(found::item)
                    }
                }.map { diagnostic(it as Element, files) }
        } catch (_: SAXException) {
            listOf(Diagnostic(null, 0, 0, xml))
        }

    private fun diagnostic(
        element: Element,
        files: Map<String, CellSource>,
    ): Diagnostic {
        val source = files[element.getAttribute("path")]
        val line = element.getAttribute("line").toIntOrNull() ?: 0
        val column = element.getAttribute("column").toIntOrNull() ?: 0
        return Diagnostic(source?.place, line, source?.column(line, column) ?: column, element.textContent.trim())
    }

    private companion object {
        /** The oldest JDK that a component may run on. */
        const val JVM_TARGET = "21"

        val SEVERITIES = listOf("error", "exception")
    }
}
