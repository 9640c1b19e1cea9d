"""Libraries that a build has fetched, compared with the hashes in the component's `jars.lock`.

Maven pins versions and compares what it downloads with the checksums of the same place. Its own trusted checksums need
Maven 3.9, and fail there on a dependency of the scope `system`, which the Kotlin labkit has.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from perflab.model.errors import BenchError

LOCK = "jars.lock"
BUILT = "built-here"
"""In place of a hash: a jar of this checkout's own sources."""


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
    """Write the lock of what is there now; which jars are built here, and which folders count, stays as it was."""
    lock = folder / LOCK
    known = _known(lock)
    found = _hashes(folder, {str(Path(name).parent) for name in known})
    lines = [f"{BUILT if known.get(name) == BUILT else digest}  {name}\n" for name, digest in found.items()]
    lock.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    _write(Path(sys.argv[1]))
