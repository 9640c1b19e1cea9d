"""A reader's own variant, from the cell to a plug-in that passes the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Cell, Kernel

pytestmark = pytest.mark.notebook


@pytest.fixture(scope="module")
def loaded(kotlin: Kernel) -> Kernel:
    """The kernel after `lab.load` and an import in a cell of its own."""
    assert not kotlin.run('lab.load("toy")').of("error")
    assert not kotlin.run("import toy.*\nimport java.util.concurrent.ConcurrentLinkedQueue").of("error")
    return kotlin


def defined(kernel: Kernel, code: str) -> Cell:
    cell = kernel.run(code)
    assert not cell.of("error")
    return cell


def test_a_class_of_a_cell_becomes_a_plugin_with_what_it_needs(loaded: Kernel) -> None:
    # Kotlin's library (buildList) and another cell's import, in a JVM that has neither on its class path.
    defined(
        loaded,
        """class LinkedCup<E : Any> : Cup<E> {
    private val queue = ConcurrentLinkedQueue<E>()
    override fun put(element: E) = buildList { add(queue.offer(element)) }.single()
    override fun get(): E? = queue.poll()
}""",
    )
    cell = loaded.run("val mine = lab.variant(LinkedCup::class)\nmine")
    assert cell.text == "LinkedCup: keeps the contract of toy\n  ok  keeps the order"
    words = loaded.run(
        'lab.measure("toy", variants = listOf("linked"), plugin = mine)["words"].list.map { it.text!! }'
        '.map { it.substringAfterLast("/").replace(Regex("-[0-9a-f]{12}"), "") }.joinToString(" ")'
    )
    expected = "measure toy --variant linked --variant LinkedCup --plugin LinkedCup.jar --stream"
    assert words.text == expected


def test_a_class_defined_again_is_the_newer_one(loaded: Kernel) -> None:
    stack = """class Twice : Cup<Any> {{
    val all = ArrayDeque<Any>()
    override fun put(element: Any) = all.add(element)
    override fun get() = all.{}()
}}"""
    defined(loaded, stack.format("removeLast"))
    assert loaded.run("lab.variant(Twice::class)").of("error")
    defined(loaded, stack.format("removeFirst"))
    assert not loaded.run("lab.variant(Twice::class)").of("error")


def test_classes_of_other_cells_come_along_when_named(loaded: Kernel) -> None:
    defined(loaded, "class Slots { val all = ArrayDeque<Any>() }")
    defined(
        loaded,
        """class Slotted : Cup<Any> {
    private val slots = Slots()
    override fun put(element: Any) = slots.all.add(element)
    override fun get() = slots.all.removeFirst()
}""",
    )
    assert "Unresolved reference 'Slots'" in loaded.run("lab.variant(Slotted::class)").error["evalue"]
    assert loaded.run("lab.variant(Slotted::class, Slots::class)").text.startswith("Slotted: keeps")


def test_a_variant_that_breaks_the_contract_says_which_check(loaded: Kernel) -> None:
    defined(
        loaded,
        """class Last : Cup<Any> {
    var it: Any? = null
    override fun put(element: Any) = true.also { _ -> it = element }
    override fun get() = it
}""",
    )
    lines = loaded.run("lab.variant(Last::class)").error["traceback"]
    assert lines[:2] == ["Last breaks the contract of toy", "  FAILED  keeps the order: got second"]


def test_kotlin_errors_have_the_lines_of_the_cell(loaded: Kernel) -> None:
    loaded.run("val limit = 3")
    cell = defined(
        loaded,
        """class Limited : Cup<Int> {

    override fun put(element: Int) = element < limit
    override fun get() = 1
}""",
    )
    lines = loaded.run("lab.variant(Limited::class)").error["traceback"]
    assert lines[:2] == [
        "Limited does not compile",
        f"  Cell In[{cell.number}], line 3, column 48: Unresolved reference 'limit'.",
    ]
    assert "its own cell declares" in lines[-1]


def test_kotlin_errors_of_the_first_line_have_its_columns(loaded: Kernel) -> None:
    cell = defined(
        loaded,
        "class First(val n: Int = limit) : Cup<Any> { override fun put(element: Any) = true; override fun get() = 1 }",
    )
    lines = loaded.run("lab.variant(First::class)").error["traceback"]
    assert lines[1] == f"  Cell In[{cell.number}], line 1, column 26: Unresolved reference 'limit'."


def test_a_class_that_the_lab_cannot_make_says_so(loaded: Kernel) -> None:
    defined(
        loaded, "class Sized(val n: Int) : Cup<Any> { override fun put(element: Any) = true; override fun get() = n }"
    )
    assert "constructor without arguments" in loaded.run("lab.variant(Sized::class)").error["evalue"]


def test_java_source_becomes_a_plugin(loaded: Kernel) -> None:
    cell = loaded.run(
        '''lab.java("""
import java.util.*;
import toy.Cup;

public class JavaCup<E> implements Cup<E> {
    private final Deque<E> all = new ArrayDeque<>();
    public boolean put(E element) { return all.add(element); }
    public E get() { return all.remove(); }
}
""")'''
    )
    assert cell.text == "JavaCup: keeps the contract of toy\n  ok  keeps the order"


def test_java_errors_have_the_lines_of_the_cell(loaded: Kernel) -> None:
    cell = loaded.run(
        '''// a comment
lab.java("""
public class JavaCup<E> implements toy.Cup<E> {
    public boolean put(E e) { return 1; }
    public E get() { return null; }
}
""")'''
    )
    lines = cell.error["traceback"]
    expected = f"  Cell In[{cell.number}], line 4, column 38: incompatible types: int cannot be converted to boolean"
    assert lines == ["JavaCup does not compile", expected]
