package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.CodeCell
import org.jetbrains.kotlinx.jupyter.api.DeclarationKind
import org.jetbrains.kotlinx.jupyter.api.Notebook
import kotlin.reflect.KClass

/**
 * A cell's declarations as a Kotlin file with the same line numbers: what the notebook imported in other cells is put in front
 * of the first line, not above it.
 *
 * @property cell the cell's number, as in `In[5]`
 */
internal class CellSource(val cell: Int, code: String, importedElsewhere: List<String>) {
    val place: String = "Cell In[$cell]"

    private val prefix: String

    /** What is compiled. */
    val text: String

    init {
        val own = imports(code).toSet()
        val names = own.mapNotNull(::nameOf).toSet()
        prefix = importedElsewhere.filter { it !in own && nameOf(it) !in names }.joinToString("") { "$it; " }
        text = prefix + code.lines().joinToString("\n") { if (isForKernel(it)) "" else it }
    }

    /** The column in the cell of a column of [text]. */
    fun column(line: Int, column: Int): Int = if (line == 1) (column - prefix.length).coerceAtLeast(1) else column

    companion object {
        private val COMMENT = Regex("""^(//|/\*|\*)""")
        private val IMPORT = Regex("""^import\s+[\w.`*]+(\s+as\s+\w+)?""")

        /** What the kernel imports in every cell and is of use outside of a notebook. */
        private val DEFAULTS = listOf("import kotlin.math.*") +
            listOf("nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours", "days")
                .map { "import kotlin.time.Duration.Companion.$it" }

        /** The imports at a cell's head; further down, they are part of a text, of Java source for example. */
        fun imports(code: String): List<String> = code.lines().map { it.trim() }
            .takeWhile { it.isEmpty() || isForKernel(it) || COMMENT.containsMatchIn(it) || IMPORT.containsMatchIn(it) }
            .mapNotNull { IMPORT.find(it)?.value }

        /** The imports that hold after these cells: of two for the same name, the later one. */
        fun importsOf(codes: List<String>): List<String> {
            val all = (DEFAULTS + codes.flatMap(::imports)).distinct()
            return all.filterIndexed { index, line ->
                nameOf(line) == null || all.drop(index + 1).none { nameOf(it) == nameOf(line) }
            }
        }

        /** The simple name that an import brings; null for a whole package. */
        private fun nameOf(line: String): String? =
            line.substringAfterLast(" as ").substringAfterLast('.').trim().takeIf { it != "*" }

        private fun isForKernel(line: String): Boolean =
            line.trimStart().let { it.startsWith("%") || it.startsWith("@file:") }
    }
}

/** Finds the cells that a notebook's classes and functions come from. */
internal class NotebookSources(private val notebook: Notebook) {
    /** The sources of the cells that define [types], each cell once. */
    fun of(types: List<KClass<*>>): List<CellSource> = sources(types.map { declaring(nameOf(it), CLASS_KINDS) })

    /** The sources of the cells that define functions of these [names], each cell once. */
    fun defining(names: List<String>): List<CellSource> = sources(names.map { declaring(it, FUNCTION_KINDS) })

    private fun sources(found: List<CodeCell>): List<CellSource> {
        // A cell that did not compile imported nothing either. One that only imports has no declarations, but a result.
        val compiled = notebook.cellsList.filter { it.declarations.isNotEmpty() || it.result != null }
        val imports = CellSource.importsOf(compiled.map { it.code })
        return found.distinctBy { it.id }.map { CellSource(it.id, it.code, imports) }
    }

    /** The name of [type] where it stands at the top level of a cell, which the kernel wraps into a class of its own. */
    fun nameOf(type: KClass<*>): String = CELL_CLASS.matchEntire(type.java.name)?.groupValues?.get(1)
        ?: throw LabException(
            "${type.simpleName} is not a class that stands by itself in a cell of this notebook",
            "define it in a cell, outside of functions and other classes",
            exitStatus = 2,
        )

    /** It may have been defined again: its newest cell is the one that is meant. */
    private fun declaring(name: String, kinds: Set<DeclarationKind>): CodeCell =
        notebook.cellsList.lastOrNull { cell -> cell.declarations.any { it.name == name && it.kind in kinds } }
            ?: throw LabException("no cell defines $name", "run the cell that defines it", exitStatus = 2)

    private companion object {
        val CELL_CLASS = Regex("""Line_\d+_jupyter\$([^$]+)""")
        val CLASS_KINDS = setOf(DeclarationKind.CLASS, DeclarationKind.OBJECT)
        val FUNCTION_KINDS = setOf(DeclarationKind.FUNCTION)
    }
}
