"""Programs linked with Google Benchmark, where it is on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def compiled(source: str, folder: Path) -> str:
    """The program `bench` in a folder, of a text in C++; without a compiler or the library the test is skipped."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    (folder / "bench.cpp").write_text(source)
    command = [compiler, "-O1", "bench.cpp", "-o", "bench", "-lbenchmark", "-lpthread"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if "benchmark/benchmark.h" in built.stderr:
        pytest.skip("no Google Benchmark (Debian: apt install libbenchmark-dev)")
    assert built.returncode == 0, built.stderr
    return os.fspath(folder / "bench")
