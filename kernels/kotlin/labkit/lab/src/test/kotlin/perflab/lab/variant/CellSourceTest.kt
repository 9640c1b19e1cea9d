package perflab.lab.variant

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class CellSourceTest {
    @Test
    fun `keeps every line where it was`() {
        val cell = CellSource(5, "%use perflab\nimport a.B\nclass C : B", listOf("import x.Y"))
        assertEquals(listOf("import x.Y; ", "import a.B", "class C : B"), cell.text.lines())
    }

    @Test
    fun `counts columns of the first line from the cell's own beginning`() {
        val cell = CellSource(5, "class C : B", listOf("import x.Y"))
        assertEquals(11, cell.column(1, cell.text.indexOf("B") + 1))
        assertEquals(11, cell.column(2, 11))
    }

    @Test
    fun `prefers the cell's own import of a name`() {
        val cell = CellSource(5, "import a.Queue\nclass C", listOf("import b.Queue", "import b.*"))
        assertFalse("b.Queue" in cell.text)
        assertTrue("import b.*; " in cell.text)
    }

    @Test
    fun `takes the later of two imports of a name`() {
        val imports = CellSource.importsOf(listOf("import a.Queue", "import b.Queue", "import c.Other as Queue"))
        assertEquals(listOf("import c.Other as Queue"), imports.filter { "Queue" in it })
    }

    @Test
    fun `takes no line of a text for an import`() {
        val code = "// comment\nimport a.B\n\nval source = \"\"\"\nimport static java.lang.Math.abs;\n\"\"\""
        assertEquals(listOf("import a.B"), CellSource.imports(code))
    }
}
