package perflab.lab.component

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import perflab.lab.LabException
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.createFile
import kotlin.io.path.writeText

class ComponentManifestTest {
    @TempDir
    lateinit var folder: Path

    @Test
    fun `expands a star into the jars of a folder`() {
        val lib = folder.resolve("target/lib").createDirectories()
        listOf("b.jar", "a.jar", "notes.txt").forEach { lib.resolve(it).createFile() }
        manifest("[plugin]\ninterface = \"toy.Cup\"\nclasspath = [\"target/classes\", \"target/lib/*\"]")
        val read = ComponentManifest.read("toy", folder)
        assertEquals("toy.Cup", read.service)
        assertEquals(
            listOf("target/classes", "target/lib/a.jar", "target/lib/b.jar"),
            read.classPath.map { it.relativeTo(folder.toFile()).path },
        )
    }

    @Test
    fun `names a topic that is not there`() {
        val thrown = assertThrows(LabException::class.java) { ComponentManifest.read("toy", folder.resolve("toy")) }
        assertEquals("no topic 'toy'", thrown.text)
    }

    @Test
    fun `says that a component takes no variants`() {
        manifest("name = \"toy\"")
        val thrown = assertThrows(LabException::class.java) { ComponentManifest.read("toy", folder) }
        assertTrue("[plugin]" in thrown.text)
    }

    private fun manifest(text: String) = folder.resolve("component.toml").writeText(text)
}
