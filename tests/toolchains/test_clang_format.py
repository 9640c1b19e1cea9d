"""The format of C++ is checked, and restored."""

import subprocess
import sys
from pathlib import Path

import pytest

from perflab.model.lab import CHECKOUT


def clang_format(*arguments: str) -> int:
    command = [sys.executable, str(CHECKOUT / "tools" / "clang_format.py"), *arguments]
    return subprocess.run(command, check=False).returncode


needs_program = pytest.mark.skipif(
    not Path(sys.executable).with_name("clang-format").is_file(), reason="no clang-format in this environment"
)


@needs_program
def test_a_file_with_another_format_is_found_and_mended(tmp_path: Path) -> None:
    (tmp_path / ".clang-format").write_text("BasedOnStyle: Google\n")
    (tmp_path / "inner").mkdir()
    file = tmp_path / "inner" / "a.hpp"
    file.write_text("int  f( );\n")
    assert clang_format(str(tmp_path)) == 1
    assert clang_format("--fix", str(tmp_path)) == 0
    assert file.read_text() == "int f();\n"
    assert clang_format(str(tmp_path)) == 0


@needs_program
def test_what_is_built_is_nobodys_source(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "made.cpp").write_text("int  f( );\n")
    (tmp_path / "a.cpp").write_text("int f();\n")
    assert clang_format(str(tmp_path)) == 0


def test_nothing_to_look_at_is_no_success(tmp_path: Path) -> None:
    assert clang_format(str(tmp_path)) == 2
