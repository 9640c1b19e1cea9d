"""Source beside what the compiler made of it."""

from __future__ import annotations

import platform
import subprocess
from typing import TYPE_CHECKING

import pytest

from perflab.host.cpp import compilers
from perflab.kernels.assembly import assembly_of
from perflab.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.build

SOURCE = """#include <atomic>
std::atomic<long> epoch, tail;
namespace rings {
__attribute__((noinline)) long relaxed(long ticket) {
  const long seen = epoch.load(std::memory_order_relaxed);
  tail.store(ticket, std::memory_order_release);
  return seen;
}
__attribute__((noinline)) void counted(long ticket) {
  tail.fetch_add(ticket, std::memory_order_relaxed);
}
}
int main(int arguments, char**) {
  rings::counted(arguments);
  return static_cast<int>(rings::relaxed(arguments));
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rings")
    source, program = folder / "rings.cpp", folder / "rings"
    source.write_text(SOURCE)
    compiler = next(compilers()).path
    subprocess.run([compiler, "-std=c++20", "-O2", "-g", source, "-o", program], check=True)
    return program


def instructions_of(shown: str, written: str) -> list[str]:
    """Those beside a line of source: its own row, and rows without a source below it."""
    lines = shown.splitlines()
    (row,) = (number for number, line in enumerate(lines) if written in line)
    numbered = (number for number in range(row + 1, len(lines)) if lines[number][:4].strip())
    below = next(numbered, len(lines))
    return [line.partition(written)[2] if written in line else line.strip() for line in lines[row:below]]


def test_what_was_inlined_from_the_library_belongs_to_the_line_that_asked(program: Path) -> None:
    shown = assembly_of(program, r"rings::relaxed\(", program.parent)
    assert shown.splitlines()[0] == "rings.cpp"
    for order in ("relaxed", "release"):
        assert instructions_of(shown, f"std::memory_order_{order});")
    assert "lock" not in shown
    if platform.machine() == "x86_64":  # others have no such prefix
        shown = assembly_of(program, r"rings::counted\(", program.parent)
        assert any("lock" in one for one in instructions_of(shown, "std::memory_order_relaxed);"))


def test_one_function_must_match(program: Path) -> None:
    with pytest.raises(UsageError, match="no functions match 'pushes'"):
        assembly_of(program, "pushes", program.parent)
    with pytest.raises(UsageError, match="2 functions match") as failure:
        assembly_of(program, "rings::", program.parent)
    assert "rings::counted(long)" in failure.value.hint
