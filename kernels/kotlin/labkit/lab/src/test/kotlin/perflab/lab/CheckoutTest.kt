package perflab.lab

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.createFile

class CheckoutTest {
    @TempDir
    lateinit var folder: Path

    @Test
    fun `is the nearest folder above with a launcher and components`() {
        val inner = folder.resolve("clone").createDirectories()
        for (root in listOf(folder, inner)) {
            root.resolve("lab").createFile()
            root.resolve("components").createDirectories()
        }
        val notebooks = inner.resolve("notebooks/drafts").createDirectories()
        assertEquals(inner, Checkout.above(notebooks).root)
    }

    @Test
    fun `is not a folder with a lab of another kind`() {
        folder.resolve("lab").createDirectories()
        folder.resolve("components").createDirectories()
        assertEquals(3, assertThrows(LabException::class.java) { Checkout.above(folder) }.exitStatus)
    }

    @Test
    fun `is not a folder that everybody shares`() {
        folder.resolve("lab").createFile()
        folder.resolve("components").createDirectories()
        assertEquals(folder, Checkout.above(folder).root)
        Files.setAttribute(folder, "unix:mode", 0x3FF) // 01777
        assertThrows(LabException::class.java) { Checkout.above(folder) }
    }
}
