package perflab.lab.variant

import perflab.lab.LabException
import java.io.File
import java.net.URI
import java.nio.file.Path
import java.util.Locale
import javax.tools.DiagnosticCollector
import javax.tools.JavaFileObject
import javax.tools.SimpleJavaFileObject
import javax.tools.ToolProvider

/**
 * Java source from a notebook's cell.
 *
 * @property place the cell
 * @property lineOffset how many lines of the cell come before the first line of [text]
 */
internal class JavaSource(
    val text: String,
    val place: String,
    val lineOffset: Int,
) {
    /** The type that the file is named after: the public one, or else the first. */
    val typeName: String =
        (PUBLIC_TYPE.find(text) ?: ANY_TYPE.find(text))?.groupValues?.get(1)
            ?: throw LabException("there is no class in this Java source", exitStatus = 2)

    private companion object {
        const val TYPE = """(?:(?:final|abstract|sealed|non-sealed|strictfp)\s+)*(?:class|record|enum)\s+(\w+)"""
        val PUBLIC_TYPE = Regex("""(?m)^\s*public\s+$TYPE""")
        val ANY_TYPE = Regex("""(?m)^\s*$TYPE""")
    }
}

/** The JDK's own compiler. */
internal object JavaCompiler {
    /**
     * Compiles [source] to class files in [output]; returns the errors.
     *
     * @throws LabException if the kernel runs on a Java without a compiler
     */
    fun compile(
        source: JavaSource,
        classPath: List<File>,
        output: Path,
    ): List<Diagnostic> {
        val compiler =
            ToolProvider.getSystemJavaCompiler()
                ?: throw LabException(
                    "the kernel runs on a Java without a compiler",
                    "install a JDK, then ./lab setup",
                    exitStatus = 3,
                )
        val found = DiagnosticCollector<JavaFileObject>()
        val options =
            listOf(
                "-proc:none",
                "-nowarn",
                "-d",
                output.toString(),
                "-classpath",
                classPath.joinToString(File.pathSeparator),
            )
        compiler.getTask(null, null, found, options, null, listOf(Text(source))).call()
        return found.diagnostics
            .filter { it.kind == javax.tools.Diagnostic.Kind.ERROR }
            .map {
                val place = source.place.takeIf { _ -> it.lineNumber > 0 }
                Diagnostic(
                    place,
                    it.lineNumber.toInt() + source.lineOffset,
                    it.columnNumber.toInt(),
                    it.getMessage(Locale.ENGLISH),
                )
            }
    }

    private class Text(
        private val source: JavaSource,
    ) : SimpleJavaFileObject(URI("string:///${source.typeName}.java"), JavaFileObject.Kind.SOURCE) {
        override fun getCharContent(ignoreEncodingErrors: Boolean): CharSequence = source.text
    }
}
