"""Builds that are repeated only if sources, tools or products have changed."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filelock import FileLock

from perflab.host.processes import run_group
from perflab.model.errors import BenchError
from perflab.model.files import atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


_LOG_LINES_SHOWN = 30


@dataclass(frozen=True)
class StampedBuild:
    """A build; the file `stamp` has the fingerprint of the last successful build's sources and tools."""

    stamp: Path
    fingerprint: Callable[[], str]
    products: Sequence[Path] = ()

    @property
    def log(self) -> Path:
        """The file with the build's output."""
        return self.stamp.with_suffix(".log")

    def is_current(self) -> bool:
        """Check that the last build used the current sources and tools, and that its products exist."""
        there = all(product.exists() for product in self.products)
        return there and self.stamp.is_file() and self.stamp.read_text() == self.fingerprint()

    def run(self, work: Callable[[], None], *, force: bool = False) -> bool:
        """Build unless current; return True if anything was built."""
        with build_lock(self.stamp):
            # Another process may have built it while this one waited.
            if not force and self.is_current():
                return False
            sources = self.fingerprint()
            # A failed build may leave half of its products; an older stamp must not vouch for them.
            self.stamp.unlink(missing_ok=True)
            work()
            with atomic(self.stamp) as draft:
                draft.write_text(sources)
        return True


@contextlib.contextmanager
def build_lock(stamp: Path) -> Iterator[None]:
    """Hold a build's lock, since concurrent builds would write the same files."""
    stamp.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(stamp.with_suffix(".lock")):
        yield


def run_build(
    command: Sequence[str | Path],
    title: str,
    log: Path,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> None:
    """Run a build with its output in a log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    with log.open("wb") as output:
        status = run_group(command, folder=folder, environment=environment, output=output).returncode
    if status != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the build of {title} failed with status {status}:\n{tail}", f"whole log: {log}")
