package perflab.lab

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class CellSourceTest {
    @Test
    fun `keeps every line and column where it was`() {
        val cell = CellSource(5, "%use perflab\nimport a.B\nclass C : B", listOf("import x.Y"))
        assertEquals(listOf("import x.Y; ", "import a.B", "class C : B"), cell.text.lines())
        assertEquals(listOf(1, 11), listOf(cell.column(1, 13), cell.column(2, 11)))
    }

    @Test
    fun `prefers the cell's own import of a name, and the later of two others`() {
        val cell = CellSource(5, "import a.Queue\nclass C", listOf("import b.Queue", "import b.*"))
        assertFalse("b.Queue" in cell.text)
        assertTrue("import b.*; " in cell.text)
        val imports = CellSource.importsOf(listOf("import a.Queue", "import b.Queue", "import c.Other as Queue"))
        assertEquals(listOf("import c.Other as Queue"), imports.filter { "Queue" in it })
    }

    @Test
    fun `takes no line of a text for an import`() {
        val code = "// comment\nimport a.B\n\nval source = \"\"\"\nimport static java.lang.Math.abs;\n\"\"\""
        assertEquals(listOf("import a.B"), CellSource.imports(code))
    }
}
