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


def test_a_cell_becomes_a_variant_that_is_measured_like_any_other(notebook: Notebook) -> None:
    cell = notebook.run(f"%%cpp cup MyCup\n{QUEUE}")
    assert isinstance(cell.value, Plugin), cell.failure
    assert repr(cell.value) == "my-cup: keeps the contract of cup\n  ok  keeps the order"
    assert notebook.run("yours").value is cell.value
    measured = notebook.run('lab.measure("cup", variants=[yours])')
    assert measured.failure is None
    assert list(measured.value["variants"]) == ["my-cup"]
    assert notebook.run('lab.measure("cup", plugin=yours)').failure is None


def test_an_error_has_the_cells_number_and_its_line(notebook: Notebook) -> None:
    cell = notebook.run(f"%%cpp cup MyCup\n{QUEUE.replace('all.push_back(number)', 'all.push_back(limit)')}")
    lines = failure(cell)
    assert lines[0] == "MyCup does not compile"
    assert lines[1].startswith(f"  Cell In[{cell.number}], line 5, column 42: ")
    assert "limit" in lines[1]
    assert lines[2] == "        void put(int number) { all.push_back(limit); }"
    assert lines[3].index("^") == lines[2].index("limit")
    assert "its own source declares" in lines[-1]


@pytest.mark.parametrize(
    ("cell", "name", "said"),
    [
        ("cup MyCup\nstruct MyCup { void put(int) {} };", "MyCup", "cup.get()"),
        (f"cup Mug\n{QUEUE}", "Mug", "Mug"),
        (f"cup MyCup\nvoid pour();\n{QUEUE.replace('};', 'MyCup() { pour(); } };')}", "MyCup", "to `pour()'"),
    ],
    ids=["no cup", "not declared", "not defined"],
)
def test_a_type_that_does_not_compile_or_link_says_what_it_lacks(
    notebook: Notebook, cell: str, name: str, said: str
) -> None:
    first, *lines = failure(notebook.run(f"%%cpp {cell}"))
    assert first == f"{name} does not compile"
    assert any(said in line and "Cell In" not in line for line in lines)


def test_a_warning_is_shown_and_harms_nobody(notebook: Notebook) -> None:
    cell = notebook.run(f"%%cpp cup MyCup\n{QUEUE.replace('int get() {', 'int get() { int spare;')}")
    assert cell.failure is None
    assert f"Cell In[{cell.number}], line 6, column 21: unused variable" in cell.printed


def test_a_variant_that_breaks_the_contract_says_which_check(notebook: Notebook) -> None:
    source = QUEUE.replace("front()", "back()").replace("pop_front", "pop_back")
    lines = failure(notebook.run(f"%%cpp cup MyCup\n{source}"))
    assert lines[:2] == ["MyCup breaks the contract of cup", "  FAILED  keeps the order: got 2 first"]


def test_a_line_that_cannot_be_read_is_one_error(notebook: Notebook) -> None:
    for line in ("", "cup", "cup MyCup --as", "cup MyCup --as 2nd", "cup My-Cup", "tea MyCup"):
        lines = failure(notebook.run(f"%%cpp {line}\n{QUEUE}"))
        assert len(lines) == 2, line
        assert lines[1].startswith("  fix: ")
