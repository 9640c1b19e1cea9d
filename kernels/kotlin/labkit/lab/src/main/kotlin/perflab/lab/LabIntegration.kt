package perflab.lab

import org.jetbrains.kotlinx.jupyter.api.declare
import org.jetbrains.kotlinx.jupyter.api.libraries.JupyterIntegration

/**
 * What `%use perflab` does in a notebook: `val lab` appears, with the types that it takes and returns, and leaves no
 * process behind when the kernel ends.
 */
internal class LabIntegration : JupyterIntegration() {
    override fun Builder.onLoaded() {
        setMinimalKernelVersion("0.19.0.944")
        val lab = Lab(notebook)
        import<LabResult>()
        import<Span>()
        import<Moment>()
        render<LabResult> { it.rendered() }
        onLoaded {
            // Looking for the sources of every dependency costs network round trips at each `%use`, for an IDE's benefit.
            notebook.sessionOptions.resolveSources = false
            declare("lab" to lab)
        }
        onShutdown { lab.close() }
    }
}
