package perflab.lab.variant

import org.jetbrains.kotlinx.jupyter.api.CodeCell
import org.jetbrains.kotlinx.jupyter.api.DeclarationKind
import org.jetbrains.kotlinx.jupyter.api.Notebook
import perflab.lab.LabException
import kotlin.reflect.KClass

/** Finds the cells that a notebook's classes come from. */
internal class NotebookSources(
    private val notebook: Notebook,
) {
    /**
     * The sources of the cells that define [types], each cell once.
     *
     * @throws LabException if one was not defined in a cell, or inside of something else
     */
    fun of(types: List<KClass<*>>): List<CellSource> = sources(types.map(::cellOf))

    /**
     * The sources of the cells that define the functions of these [names], each cell once.
     *
     * @throws LabException if one was not defined in a cell
     */
    fun defining(names: List<String>): List<CellSource> = sources(names.map { declaring(it, FUNCTION_KINDS) })

    private fun sources(found: List<CodeCell>): List<CellSource> {
        val cells = found.distinctBy { it.id }
        val imports = CellSource.importsOf(notebook.cellsList.filter(::wasCompiled).map { it.code })
        return cells.map { CellSource(it.id, it.code, imports) }
    }

    /** The name of [type] where it stands at the top level of a cell, which the kernel wraps into a class of its own. */
    fun nameOf(type: KClass<*>): String =
        CELL_CLASS.matchEntire(type.java.name)?.groupValues?.get(1)
            ?: throw LabException(
                "${type.simpleName} is not a class that stands by itself in a cell of this notebook",
                "define it in a cell, outside of functions and other classes",
                exitStatus = 2,
            )

    private fun cellOf(type: KClass<*>): CodeCell = declaring(nameOf(type), CLASS_KINDS)

    /** It may have been defined again: its newest cell is the one that is meant. */
    private fun declaring(
        name: String,
        kinds: Set<DeclarationKind>,
    ): CodeCell =
        notebook.cellsList.lastOrNull { cell -> cell.declarations.any { it.name == name && it.kind in kinds } }
            ?: throw LabException("no cell defines $name", "run the cell that defines it", exitStatus = 2)

    /** A cell that did not compile imported nothing either. One that only imports has no declarations, but a result. */
    private fun wasCompiled(cell: CodeCell): Boolean = cell.declarations.isNotEmpty() || cell.result != null

    private companion object {
        val CELL_CLASS = Regex("""Line_\d+_jupyter\$([^$]+)""")
        val CLASS_KINDS = setOf(DeclarationKind.CLASS, DeclarationKind.OBJECT)
        val FUNCTION_KINDS = setOf(DeclarationKind.FUNCTION)
    }
}
