"""Checks, or with `--fix` restores, the format of all C++ below folders.

    python tools/clang_format.py [--fix] FOLDER...

clang-format is the one of the lab's own environment: each release formats a little differently.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


_ENDINGS = {".hpp", ".cpp", ".h", ".cc"}
_NOT_SOURCES = {"target", "build"}


def main(arguments: list[str]) -> int:
    """Run it; return its status: not zero if a file has another format, or there is none at all."""
    fix = arguments[:1] == ["--fix"]
    sources = sorted(str(path) for folder in arguments[fix:] for path in _sources(Path(folder)))
    program = Path(sys.executable).with_name("clang-format")
    if not sources:
        sys.stderr.write("there is no C++ to look at\n")
        return 2
    if not program.is_file():
        sys.stderr.write(f"there is no clang-format beside {sys.executable}: it comes with ./lab test\n")
        return 3
    mode = ["-i"] if fix else ["--dry-run", "--Werror"]
    return subprocess.run([program, *mode, *sources], stdin=subprocess.DEVNULL, check=False).returncode


def _sources(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in _NOT_SOURCES and not name.startswith(".")]
        yield from (Path(folder, name) for name in files if Path(name).suffix in _ENDINGS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
