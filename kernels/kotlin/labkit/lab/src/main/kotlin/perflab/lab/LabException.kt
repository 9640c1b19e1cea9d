package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.exceptions.ReplMessageOnlyException

/**
 * What went wrong, in the lab's own words, and what to do about it.
 *
 * The kernel shows the text of a [ReplMessageOnlyException] without its stack trace: the trace would be the labkit's own
 * frames, and says nothing about the reader's cell.
 *
 * @property text what is wrong
 * @property hint what to do about it; may be empty
 * @property exitStatus the status that `./lab` ended with: 1 a shortfall, 2 wrong use, 3 something missing, 4 a failed
 *   benchmark; 130 after an interrupt
 */
public class LabException(
    public val text: String,
    public val hint: String = "",
    public val exitStatus: Int = 4,
) : ReplMessageOnlyException(if (hint.isEmpty()) text else "$text\n  hint: $hint", null)
