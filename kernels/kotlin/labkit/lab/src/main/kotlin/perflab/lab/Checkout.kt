package perflab.lab

import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.isDirectory
import kotlin.io.path.isRegularFile

/** The lab's checkout, found from where the notebook runs. */
internal class Checkout(
    val root: Path,
) {
    /** The launcher. */
    val launcher: Path get() = root.resolve("lab")

    /** What is made on this machine and never committed. */
    val generated: Path get() = root.resolve(".lab")

    /** The folder of the component [name]. */
    fun component(name: String): Path = root.resolve("components").resolve(name)

    companion object {
        /**
         * The nearest folder at or above [start] that holds both `lab` and `components/`. A folder like `/tmp` is none, whatever
         * others have put there.
         *
         * @throws LabException if there is none
         */
        fun above(start: Path): Checkout =
            generateSequence(start.toAbsolutePath().normalize()) { it.parent }
                .firstOrNull {
                    it.resolve("lab").isRegularFile() && it.resolve("components").isDirectory() &&
                        !isShared(it)
                }?.let(::Checkout)
                ?: throw LabException(
                    "this notebook is not inside a checkout of perflab",
                    "open it from the checkout's notebooks folder",
                    exitStatus = 3,
                )

        /** Whether everybody may make files in [folder] that nobody else can replace. */
        private fun isShared(folder: Path): Boolean =
            Files.getAttribute(folder, "unix:mode") as Int and STICKY_AND_WRITABLE == STICKY_AND_WRITABLE

        private const val STICKY_AND_WRITABLE = 0x202 // 01002
    }
}
