"""Jobs one after the other: two measurements at once would measure each other."""

from __future__ import annotations

import atexit
import contextlib
import threading
from typing import TYPE_CHECKING

from perflab.console.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from perflab.console.commands import Command

_GOODBYE_S = 10.0


class Queue:
    """Runs jobs in the order in which they were asked for, in a thread of its own.

    Args:
        tell: Called with a job whenever something about it has changed, from that thread or from the one that asked.
    """

    def __init__(self, tell: Callable[[Job], None]) -> None:
        self._tell = tell
        self._jobs: list[Job] = []
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="perflab-console", daemon=True)
        self._thread.start()
        # A kernel that is shut down takes the process under way with it in the same way as Stop does.
        atexit.register(self.close)

    @property
    def jobs(self) -> list[Job]:
        """All that were asked for, oldest first."""
        with self._changed:
            return list(self._jobs)

    @property
    def running(self) -> Job | None:
        """The one under way."""
        return next((job for job in self.jobs if job.state in {"running", "stopping"}), None)

    @property
    def waiting(self) -> list[Job]:
        """Those whose turn is still to come, in their order."""
        return [job for job in self.jobs if job.state == "waiting"]

    def add(self, command: Command, *, first: bool = False) -> Job:
        """Ask for a command.

        Args:
            command: The command.
            first: Whether it goes before all that wait.
        """
        with self._changed:
            job = Job(command, number=len(self._jobs) + 1)
            place = next((i for i, one in enumerate(self._jobs) if one.state == "waiting"), len(self._jobs))
            self._jobs.insert(place if first else len(self._jobs), job)
            self._changed.notify_all()
        self._tell(job)
        return job

    def stop(self, job: Job) -> None:
        """Stop a job, or take one that waits out of the queue."""
        job.stop()
        self._tell(job)

    def stop_all(self) -> None:
        """Stop the one under way, and all that wait."""
        for job in reversed(self.jobs):
            if not job.over:
                self.stop(job)

    def close(self) -> None:
        """Stop everything and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for job in reversed(self.jobs):
            job.stop()
        self._thread.join(_GOODBYE_S)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or any(job.state == "waiting" for job in self._jobs))
                if self._closed:
                    return
                job = next((one for one in self._jobs if one.state == "waiting"), None)
            if job is not None:
                self._run(job)

    def _run(self, job: Job) -> None:
        try:
            job.run(self._tell)
        except Exception as error:  # noqa: BLE001 - the jobs that wait have no other thread
            job.abandon(error)
            with contextlib.suppress(Exception):
                self._tell(job)
