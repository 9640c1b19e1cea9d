package perflab.lab.component

import com.electronwill.nightconfig.core.Config
import com.electronwill.nightconfig.toml.TomlParser
import perflab.lab.LabException
import java.io.File
import java.nio.file.Path
import kotlin.io.path.bufferedReader
import kotlin.io.path.isRegularFile
import kotlin.io.path.listDirectoryEntries

/**
 * What a notebook needs of `component.toml`: the `[plugin]` table. The lab itself checks the rest of the file.
 *
 * @property name the component
 * @property service the interface that a reader's own variant implements
 * @property classPath what such a variant is compiled against, and what cells see once the component is loaded
 */
internal class ComponentManifest(
    val name: String,
    val service: String,
    val classPath: List<File>,
) {
    companion object {
        private const val ALL_JARS = "*"

        /**
         * Reads the manifest in [folder].
         *
         * @throws LabException if there is no such component, or it has no `[plugin]` table
         */
        fun read(
            name: String,
            folder: Path,
        ): ComponentManifest {
            val file = folder.resolve("component.toml")
            if (!file.isRegularFile()) {
                throw LabException("no topic '$name'", "lab.topics() lists them", exitStatus = 2)
            }
            val plugin: Config =
                file.bufferedReader().use { TomlParser().parse(it).get("plugin") }
                    ?: throw LabException(
                        "$name takes no variants of your own: its component.toml has no [plugin]",
                        exitStatus = 2,
                    )
            return ComponentManifest(
                name = name,
                service = plugin.get("interface"),
                classPath = plugin.get<List<String>?>("classpath").orEmpty().flatMap { entries(folder, it) },
            )
        }

        /** As the JVM reads a class path: `folder/` followed by a star stands for all jars in the folder. */
        private fun entries(
            folder: Path,
            entry: String,
        ): List<File> {
            val path = folder.resolve(entry).normalize()
            return when {
                path.fileName.toString() == ALL_JARS -> path.parent.listDirectoryEntries("*.jar").sorted()
                else -> listOf(path)
            }.map { it.toFile() }
        }
    }
}
