package perflab.lab.variant

import perflab.lab.LabException

/**
 * What a compiler has to say.
 *
 * @property place the cell, as the reader knows it; null if the message is about no place
 * @property line from 1, counted in the cell
 */
internal data class Diagnostic(
    val place: String?,
    val line: Int,
    val column: Int,
    val message: String,
) {
    override fun toString(): String = if (place == null) message else "$place, line $line, column $column: $message"

    companion object {
        /** The error that a reader sees for [errors] in [subject]. */
        fun failure(
            subject: String,
            errors: List<Diagnostic>,
            hint: String,
        ): LabException =
            LabException(
                "$subject does not compile\n" +
                    errors.joinToString("\n") {
                        "  $it"
                    },
                hint,
                exitStatus = 2,
            )
    }
}
