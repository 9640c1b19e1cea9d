"""A program that is there and does not begin: so that a profiler can attach before its first instruction."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# The shell becomes the program: same process, and nothing of the shell is left.
_WAIT_THEN_BECOME = 'read -r _ < "$0"; exec "$@"'


class Gate:
    """Holds a program until `open`.

    Args:
        folder: Where the gate's named pipe stands.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._pipe = folder.resolve() / "gate"
        self._pipe.unlink(missing_ok=True)
        os.mkfifo(self._pipe)
        # For reading too, so that neither this nor writing waits for the other side, and nothing written is lost.
        self._end = os.open(self._pipe, os.O_RDWR | os.O_CLOEXEC)

    def hold(self, command: Sequence[str]) -> list[str]:
        """The command that waits at the gate and then becomes the given one."""
        return ["/bin/sh", "-c", _WAIT_THEN_BECOME, str(self._pipe), *command]

    def open(self) -> None:
        """Let the program begin."""
        os.write(self._end, b"\n")

    def close(self) -> None:
        """Remove the gate."""
        os.close(self._end)
        self._pipe.unlink(missing_ok=True)
