"""A machine as small as a session on Binder, made of this one: a control group with a limit of memory, and one core.

Where control groups cannot be made, `SmallMachine.create` says why. A limit of addresses (`ulimit -v`) would be none of
memory: a JVM reserves many times what it uses.
"""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from perflab.host.machine import CGROUPS, GIB, OWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

MEMORY = 2 * GIB
_LOOK_EVERY_S = 0.05
_PATIENCE_S = 120.0


class NoGroupsError(Exception):
    """Control groups with a limit of memory cannot be made here; the message says why."""


@dataclass
class SmallMachine:
    """A control group; a context manager, which ends all that is still in it and removes it.

    Attributes:
        folder: The group.
        version: Of control groups.
        core: The one core.
    """

    folder: Path
    version: int
    core: int

    @classmethod
    def create(cls, memory: int = MEMORY) -> SmallMachine:
        """Make one inside the group that this process is in."""
        core = min(os.sched_getaffinity(0))
        reason = "no control groups are mounted"
        for parent, version, limits in _places():
            folder = parent / f"perflab-{os.getpid()}-{secrets.token_hex(2)}"
            try:
                folder.mkdir()
                for name, value in limits.items():
                    if (folder / name).exists() or name == next(iter(limits)):
                        (folder / name).write_text(str(memory if value is None else value))
            except OSError as error:
                reason = f"{parent}: {error.strerror}"
                if folder.exists():
                    folder.rmdir()
                continue
            return cls(folder, version, core)
        raise NoGroupsError(reason)

    def command(self, command: Sequence[str]) -> list[str]:
        """A command that enters the group, keeps to the core, and becomes the one given."""
        enter = f'echo $$ > "{self.folder}/cgroup.procs" && exec taskset -c {self.core} "$@"'
        return ["sh", "-c", enter, "sh", *command]

    @property
    def kills(self) -> int:
        """How many of its processes the kernel has ended for want of memory."""
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        return _entry(self.folder / name, "oom_kill")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            try:
                self.folder.rmdir()
            except OSError:
                self._end_all()
                time.sleep(_LOOK_EVERY_S)
            else:
                return

    def _end_all(self) -> None:
        for pid in (self.folder / "cgroup.procs").read_text().split():
            try:
                os.kill(int(pid), 9)
            except ProcessLookupError:
                continue


def _places() -> Iterator[tuple[Path, int, dict[str, int | None]]]:
    """Where a group could be made, and what limits it there; None stands for the memory, which comes first."""
    for line in OWN.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        relative = path.lstrip("/")
        if "memory" in controllers.split(","):
            yield (
                CGROUPS / "memory" / relative,
                1,
                {"memory.limit_in_bytes": None, "memory.memsw.limit_in_bytes": None, "memory.swappiness": 0},
            )
        if not controllers:
            yield CGROUPS / relative, 2, {"memory.max": None, "memory.swap.max": 0}


def _entry(file: Path, name: str) -> int:
    try:
        rows = (line.split() for line in file.read_text().splitlines())
    except OSError:
        return 0
    return next((int(row[1]) for row in rows if row and row[0] == name), 0)
