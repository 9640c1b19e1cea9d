"""Build a Python project with its own build backend, and unpack the wheel into a folder to import from.

    python -m perflab.topics.python_module PROJECT FOLDER

The project's `[build-system] requires` must be installed: nothing is fetched, and no environment is created. FOLDER
is replaced as a whole, so that programs which have loaded the old module keep it.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Build and unpack the module."""
    project, folder = (Path(argument).resolve() for argument in arguments)
    system = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    # PEP 517: `package.module:object`, in the project's folder.
    module, _, path = system["build-backend"].partition(":")
    backend = importlib.import_module(module)
    for name in path.split(".") if path else ():
        backend = getattr(backend, name)
    os.chdir(project)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as wheels:
        wheel = Path(wheels) / backend.build_wheel(wheels)
        unpacked = Path(wheels) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.replace(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
