"""A notebook's shell that has the labkit, on a component that takes variants in C++."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from perflab.kernels.labkit import register
from perflab.labkit import lab

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Cell:
    """What came of a cell."""

    number: int
    value: Any
    failure: BaseException | None
    printed: str


class Notebook:
    """Runs cells, and counts them."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    def run(self, code: str) -> Cell:
        number = self._shell.execution_count
        with redirect_stdout(io.StringIO()) as printed:
            result = self._shell.run_cell(code, store_history=True)
        return Cell(number, result.result, result.error_in_exec or result.error_before_exec, printed.getvalue())


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    """A shell in which `lab` and `%%cpp` are."""
    monkeypatch.setenv("PERFLAB_COMPONENTS", str(Path(__file__).parent / "components"))
    monkeypatch.setenv("PERFLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("PERFLAB_PRESET", "smoke")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shell = InteractiveShell.instance(user_ns={"lab": lab})
    shell.history_manager.enabled = False
    register(shell, lab)
    yield Notebook(shell)
    InteractiveShell.clear_instance()
