"""Interrupting a cell of evcxr, whose own way is to kill the process that runs cells, with all variables.

That is the last resort here:

1. A cell that waits for a program it has started, as all cells that measure do, has that program interrupted, and
   sees how it ends. So does a cell that is being compiled.
2. If that program is still there after a while, or at a second interrupt, it is killed.
3. If there is no such program, or at a third interrupt, the process that runs the cells is killed.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from typing import TYPE_CHECKING

import psutil

from perflab_kernels.processes import kill_tree

if TYPE_CHECKING:
    from collections.abc import Callable


GRACE_S = 20.0
"""Time an interrupted program has to stop its children and save its results."""

_AT_ONCE_S = 0.5
"""Interrupts that come closer together are one."""


class Interrupts:
    """Interrupts of one kernel.

    Args:
        kernel: Process id of evcxr.
        is_running: Tells whether the cell of this number is still running.
    """

    def __init__(self, kernel: int, is_running: Callable[[int], bool]) -> None:
        self._kernel = kernel
        self._is_running = is_running
        self._cell = -1
        self._times = 0
        self._last = 0.0
        self.killed = -1
        """The last cell whose process was killed, and the variables with it."""

    def come(self, cell: int) -> None:
        """Interrupt this cell, if it is still running."""
        now = time.monotonic()
        if not self._is_running(cell):
            return
        if cell != self._cell:
            self._cell, self._times, self._last = cell, 0, 0.0
        if now - self._last < _AT_ONCE_S:
            return
        self._last = now
        self._times += 1
        runner, compilers = self._processes()
        programs = _children(runner)
        if self._times == 1 and programs:
            for program in programs:
                with contextlib.suppress(psutil.Error):
                    program.send_signal(signal.SIGINT)
            timer = threading.Timer(GRACE_S, lambda: _kill(programs if self._is_running(cell) else []))
            timer.daemon = True
            timer.start()
        elif self._times == 1 and compilers:
            _kill(compilers)
        elif self._times <= 2 and programs:  # noqa: PLR2004 - see above
            _kill(programs)
        elif runner is not None:
            self.killed = cell
            kill_tree(runner.pid)

    def _processes(self) -> tuple[psutil.Process | None, list[psutil.Process]]:
        """Return the process that runs cells, which is the same program as evcxr, and those that compile one."""
        runner, compilers = None, []
        with contextlib.suppress(psutil.Error):
            kernel = psutil.Process(self._kernel)
            own = kernel.exe()
            for child in kernel.children():
                with contextlib.suppress(psutil.Error):
                    if child.exe() == own:
                        runner = runner or child
                    else:
                        compilers.append(child)
        return runner, compilers


def _children(process: psutil.Process | None) -> list[psutil.Process]:
    try:
        return process.children() if process is not None else []
    except psutil.Error:
        return []


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        kill_tree(process.pid)
