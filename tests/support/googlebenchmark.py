"""Programs linked with Google Benchmark or Catch2, where these are on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


CATCH2 = "#define CATCH_CONFIG_MAIN\n#define CATCH_CONFIG_ENABLE_BENCHMARKING\n#include <catch2/catch.hpp>\n"
_PACKAGES = {"benchmark/benchmark.h": "libbenchmark-dev", "catch2/catch.hpp": "catch2"}


def compiled(source: str, folder: Path) -> str:
    """The program `bench` in a folder, of a text in C++; without a compiler or the library the test is skipped."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    (folder / "bench.cpp").write_text(source)
    libraries = ["-lbenchmark", "-lpthread"] if "benchmark/benchmark.h" in source else []
    command = [compiler, "-O1", "bench.cpp", "-o", "bench", *libraries]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    for header, package in _PACKAGES.items():
        if f"{header}: No such file" in built.stderr or f"'{header}' file not found" in built.stderr:
            pytest.skip(f"no {header} (Debian: apt install {package})")
    assert built.returncode == 0, built.stderr
    return os.fspath(folder / "bench")
