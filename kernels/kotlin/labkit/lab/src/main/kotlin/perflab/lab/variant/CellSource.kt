package perflab.lab.variant

/**
 * A cell's declarations as a Kotlin file of their own, with the same line numbers.
 *
 * What the notebook imported in other cells is put in front of the first line, not above it.
 *
 * @property cell the cell's number, as in `In[5]`
 */
internal class CellSource(
    val cell: Int,
    code: String,
    importedElsewhere: List<String>,
) {
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

    /** The column in the cell of the column [column] of line [line] of [text]. */
    fun column(
        line: Int,
        column: Int,
    ): Int = if (line == 1) (column - prefix.length).coerceAtLeast(1) else column

    companion object {
        private val COMMENT = Regex("""^(//|/\*|\*)""")
        private val IMPORT = Regex("""^import\s+[\w.`*]+(\s+as\s+\w+)?""")

        /** What the kernel imports in every cell and is of use outside of a notebook. */
        private val DEFAULTS =
            listOf("import kotlin.math.*") +
                listOf("nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours", "days")
                    .map { "import kotlin.time.Duration.Companion.$it" }

        /**
         * The import directives of the cell [code]. They can only stand at its head; further down, they are part of a text,
         * of Java source for example.
         */
        fun imports(code: String): List<String> =
            code
                .lines()
                .map { it.trim() }
                .takeWhile {
                    it.isEmpty() || isForKernel(it) || COMMENT.containsMatchIn(it) ||
                        IMPORT.containsMatchIn(it)
                }.mapNotNull { IMPORT.find(it)?.value }

        /** The imports that hold after cells with the texts [codes]: of two for the same name, the later one. */
        fun importsOf(codes: List<String>): List<String> {
            val all = (DEFAULTS + codes.flatMap(::imports)).distinct()
            return all.filterIndexed { index, line ->
                nameOf(line) == null || all.drop(index + 1).none { nameOf(it) == nameOf(line) }
            }
        }

        /** The simple name that an import brings; null for a whole package. */
        private fun nameOf(line: String): String? =
            line
                .substringAfterLast(" as ")
                .substringAfterLast('.')
                .trim()
                .takeIf { it != "*" }

        private fun isForKernel(line: String): Boolean =
            line.trimStart().let {
                it.startsWith("%") ||
                    it.startsWith("@file:")
            }
    }
}
