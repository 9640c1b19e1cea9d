package perflab.lab.variant

import org.jetbrains.kotlinx.jupyter.api.DisplayResult
import org.jetbrains.kotlinx.jupyter.api.Notebook
import org.jetbrains.kotlinx.jupyter.api.Renderable
import perflab.lab.display.Bundle
import java.nio.file.Path

/**
 * A variant of the reader's own that compiles and keeps the component's contract; `lab.measure(..., plugin = it)` measures
 * it against the others.
 *
 * @property component whose variant it is
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
