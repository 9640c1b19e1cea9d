"""Compare the libraries of a build with the hashes in the component's `jars.lock`.

Maven pins versions and verifies downloads only with checksums of the same server. Its trusted checksums need Maven 3.9
and fail on a dependency of scope `system`, which the Kotlin labkit has.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from perflab.model.errors import BenchError

LOCK = "jars.lock"
BUILT = "built-here"
"""Replaces the hash of a jar built from this checkout."""


def check_jars(folder: Path) -> None:
    """Raise `BenchError` if the jars of a component differ from its lock, if it has one."""
    lock = folder / LOCK
    if not lock.is_file():
        return
    known = _known(lock)
    found = _hashes(folder, {str(Path(name).parent) for name in known})
    wrong = [name for name in sorted(known | found) if known.get(name) not in {BUILT, found.get(name)}]
    if wrong:
        raise BenchError(
            f"not what {LOCK} knows by its SHA-256: {', '.join(wrong)}",
            f"remove target and build again; if you have changed a dependency: python -m {__spec__.name} {folder}",
        )


def _known(lock: Path) -> dict[str, str]:
    try:
        return {name: digest for digest, name in map(str.split, lock.read_text(encoding="utf-8").splitlines())}
    except ValueError:
        raise BenchError(f"{lock} has a line that is no hash and path", "restore it, or write it anew") from None


def _hashes(folder: Path, places: set[str]) -> dict[str, str]:
    jars = sorted(jar for place in places for jar in (folder / place).glob("*.jar"))
    return {str(jar.relative_to(folder)): hashlib.sha256(jar.read_bytes()).hexdigest() for jar in jars}


def _write(folder: Path) -> None:
    """Update the hashes in the lock; the list of folders and of jars built here stays unchanged."""
    lock = folder / LOCK
    known = _known(lock)
    found = _hashes(folder, {str(Path(name).parent) for name in known})
    lines = [f"{BUILT if known.get(name) == BUILT else digest}  {name}\n" for name, digest in found.items()]
    lock.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
