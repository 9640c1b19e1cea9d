"""`%%cpp`: from a cell to a variant that is measured; with the compiler's real messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perflab.kernels.labkit import LabFailure, Plugin

if TYPE_CHECKING:
    from .conftest import Cell, Notebook

pytestmark = pytest.mark.build

QUEUE = """#include <deque>

struct MyCup {
    void put(int number) { all.push_back(number); }
    int get() { int first = all.front(); all.pop_front(); return first; }
    std::deque<int> all;
};"""


def failure(cell: Cell) -> list[str]:
    assert isinstance(cell.failure, LabFailure)
    return str(cell.failure).splitlines()


def test_a_cell_becomes_a_variant_and_the_cells_value(notebook: Notebook) -> None:
    cell = notebook.run(f"%%cpp cup MyCup\n{QUEUE}")
    assert isinstance(cell.value, Plugin), cell.failure
    assert repr(cell.value) == "my-cup: keeps the contract of cup\n  ok  keeps the order"
    assert notebook.run("yours").value is cell.value


def test_it_is_measured_like_any_other(notebook: Notebook) -> None:
    assert notebook.run(f"%%cpp cup MyCup --as mine\n{QUEUE}").failure is None
    cell = notebook.run('lab.measure("cup", variants=[mine])')
    assert cell.failure is None
    assert list(cell.value["variants"]) == ["my-cup"]
    assert notebook.run('lab.measure("cup", plugin=mine)').failure is None


def test_an_error_has_the_cells_number_and_its_line(notebook: Notebook) -> None:
    cell = notebook.run(f"%%cpp cup MyCup\n{QUEUE.replace('all.push_back(number)', 'all.push_back(limit)')}")
    lines = failure(cell)
    assert lines[0] == "MyCup does not compile"
    assert lines[1].startswith(f"  Cell In[{cell.number}], line 5, column 42: ")
    assert "limit" in lines[1]
    assert lines[2] == "        void put(int number) { all.push_back(limit); }"
    assert lines[3].index("^") == lines[2].index("limit")
    assert "its own source declares" in lines[-1]


def test_a_type_that_is_no_cup_says_what_it_lacks(notebook: Notebook) -> None:
    lines = failure(notebook.run("%%cpp cup MyCup\nstruct MyCup { void put(int) {} };"))
    assert lines[0] == "MyCup does not compile"
    assert any("cup.get()" in line for line in lines)


def test_a_type_that_the_cell_does_not_declare_is_an_error_outside_it(notebook: Notebook) -> None:
    lines = failure(notebook.run(f"%%cpp cup Mug\n{QUEUE}"))
    assert lines[0] == "Mug does not compile"
    assert "Mug" in lines[1]
    assert "Cell In" not in lines[1]


def test_what_is_declared_and_never_defined_is_the_linkers_error(notebook: Notebook) -> None:
    source = QUEUE.replace("struct MyCup {", "void pour();\n\nstruct MyCup {\n    MyCup() { pour(); }")
    assert failure(notebook.run(f"%%cpp cup MyCup\n{source}"))[1] == "  undefined reference to `pour()'"


def test_a_warning_is_shown_and_harms_nobody(notebook: Notebook) -> None:
    cell = notebook.run(f"%%cpp cup MyCup\n{QUEUE.replace('int get() {', 'int get() { int spare;')}")
    assert cell.failure is None
    assert f"Cell In[{cell.number}], line 6, column 21: unused variable" in cell.printed


def test_a_variant_that_breaks_the_contract_says_which_check(notebook: Notebook) -> None:
    source = QUEUE.replace("front()", "back()").replace("pop_front", "pop_back")
    lines = failure(notebook.run(f"%%cpp cup MyCup\n{source}"))
    assert lines[:2] == ["MyCup breaks the contract of cup", "  FAILED  keeps the order: got 2 first"]


@pytest.mark.parametrize("line", ["", "cup", "cup MyCup --as", "cup MyCup --as 2nd", "cup My-Cup", "tea MyCup"])
def test_a_line_that_cannot_be_read_is_one_error(notebook: Notebook, line: str) -> None:
    lines = failure(notebook.run(f"%%cpp {line}\n{QUEUE}"))
    assert len(lines) == 2
    assert lines[1].startswith("  fix: ")
