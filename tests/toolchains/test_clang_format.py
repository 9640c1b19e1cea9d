"""The format of C++ is checked, and restored."""

import subprocess
import sys
from pathlib import Path

import pytest

from perflab.model.lab import CHECKOUT


@pytest.mark.skipif(
    not Path(sys.executable).with_name("clang-format").is_file(), reason="no clang-format in this environment"
)
def test_another_format_is_found_and_mended_but_not_in_what_is_built(tmp_path: Path) -> None:
    def clang_format(*arguments: str) -> int:
        command = [sys.executable, str(CHECKOUT / "tools" / "clang_format.py"), *arguments, str(tmp_path)]
        return subprocess.run(command, check=False).returncode

    assert clang_format() == 2, "nothing to look at is no success"
    (tmp_path / ".clang-format").write_text("BasedOnStyle: Google\n")
    file, built = tmp_path / "inner" / "a.hpp", tmp_path / "target" / "made.cpp"
    for one in (file, built):
        one.parent.mkdir()
        one.write_text("int  f( );\n")
    assert clang_format() == 1
    assert clang_format("--fix") == clang_format() == 0
    assert (file.read_text(), built.read_text()) == ("int f();\n", "int  f( );\n")
