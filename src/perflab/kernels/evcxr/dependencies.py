"""The lock files of the crates that a cell depends on, as one."""

from __future__ import annotations

import re
from pathlib import Path

_DEPENDENCY = re.compile(r"^:dep\s.*", re.MULTILINE)
_PATH = re.compile(r'\bpath\s*=\s*"([^"]+)"')
_PACKAGE = "\n[[package]]\n"


def dependency_lines(code: str) -> str:
    """The lines of a cell that name dependencies."""
    return "\n".join(_DEPENDENCY.findall(code))


def merged_lock(code: str) -> str:
    """What stands in the lock files of the crates that a cell names by their paths; empty if there is none.

    A crate has its own lock file or, as one of a workspace, that of a folder above. Cargo takes from it what it needs.
    """
    begin, packages = "", dict[tuple[str, ...], str]()
    for path in _PATH.findall(dependency_lines(code)):
        folder = Path(path).resolve()
        lock = next((one / "Cargo.lock" for one in (folder, *folder.parents) if (one / "Cargo.lock").is_file()), None)
        if lock is not None:
            begin, *found = lock.read_text(encoding="utf-8").rstrip("\n").split(_PACKAGE)
            # By name and version; which features it has, and with them what it needs, Cargo finds out again.
            packages |= {tuple(one.splitlines()[:2]): one for one in found}
    return _PACKAGE.join([begin, *packages.values()]) + "\n" if packages else ""
