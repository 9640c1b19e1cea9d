package perflab.lab.variant

import perflab.lab.LabException
import java.io.File
import java.lang.reflect.Modifier
import java.net.URLClassLoader
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.util.jar.Attributes
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream
import java.util.jar.Manifest
import kotlin.io.path.extension
import kotlin.io.path.relativeTo
import kotlin.io.path.walk

/** Packs class files into a jar that `java.util.ServiceLoader` understands, see docs/protocol.md, "Plug-ins". */
internal class PluginJar(
    private val service: String,
    private val classPath: List<File>,
) {
    /**
     * Writes the jar [target] from the class files below [classes].
     *
     * @param libraries what else the classes may need when they run, such as Kotlin's standard library: the manifest
     *   points at them
     * @throws LabException if no class implements the interface, or one has no constructor without arguments
     */
    fun write(
        classes: Path,
        libraries: List<File>,
        target: Path,
    ) {
        val providers = providers(classes)
        val manifest =
            Manifest().apply {
                mainAttributes[Attributes.Name.MANIFEST_VERSION] = "1.0"
                mainAttributes[Attributes.Name.CLASS_PATH] =
                    libraries.joinToString(" ") { it.absoluteFile.toURI().toString() }
            }
        Files.createDirectories(target.parent)
        val draft = Files.createTempFile(target.parent, "draft", ".jar")
        JarOutputStream(Files.newOutputStream(draft), manifest).use { jar ->
            jar.entry("META-INF/services/$service", providers.joinToString("\n", postfix = "\n").toByteArray())
            classes.walk().sorted().forEach {
                jar.entry(
                    it.relativeTo(classes).joinToString("/"),
                    Files.readAllBytes(it),
                )
            }
        }
        Files.move(draft, target, StandardCopyOption.REPLACE_EXISTING)
    }

    private fun providers(classes: Path): List<String> {
        val urls = (listOf(classes.toFile()) + classPath).map { it.toURI().toURL() }.toTypedArray()
        URLClassLoader(urls, ClassLoader.getPlatformClassLoader()).use { loader ->
            val wanted = loader.loadClass(service)
            val found =
                classes
                    .walk()
                    .filter { it.extension == "class" }
                    .map { loader.loadClass(it.relativeTo(classes).joinToString(".").removeSuffix(".class")) }
                    .filter { wanted.isAssignableFrom(it) && !Modifier.isAbstract(it.modifiers) && it.isNameable() }
                    .toList()
            if (found.isEmpty()) {
                throw LabException("there is no class here that implements $service", exitStatus = 2)
            }
            found.firstOrNull { !it.canBeProvided() }?.let {
                throw LabException(
                    "${it.simpleName} cannot be made by the lab",
                    "make it public, with a constructor without arguments, or with defaults for all of them",
                    exitStatus = 2,
                )
            }
            return found.map { it.name }.sorted()
        }
    }

    private fun Class<*>.isNameable() = !isAnonymousClass && !isLocalClass && !isSynthetic && enclosingClass == null

    private fun Class<*>.canBeProvided() =
        Modifier.isPublic(modifiers) && constructors.any { it.parameterCount == 0 && Modifier.isPublic(it.modifiers) }

    private fun JarOutputStream.entry(
        name: String,
        content: ByteArray,
    ) {
        // A fixed time: the same variant makes the same jar.
        putNextEntry(JarEntry(name).apply { time = 0 })
        write(content)
        closeEntry()
    }
}
