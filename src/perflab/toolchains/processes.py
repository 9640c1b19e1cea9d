"""Running what fetches and what builds: quietly, and with an error that says what to do."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from perflab.errors import BenchError, MissingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LOG_LINES_SHOWN = 30


def run_build(
    command: Sequence[str | Path],
    title: str,
    log: Path,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> None:
    """Run a build, all its output into a log.

    Args:
        command: The build.
        title: What is built, for the message.
        log: Overwritten; its folder is made.
        environment: The whole of it; this process's without one.
        folder: Where it runs; this process's without one.

    Raises:
        BenchError: If it fails; the message ends with the last lines of the log.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        status = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the build of {title} failed with status {status}:\n{tail}", f"whole log: {log}")


def run_fetch(
    command: Sequence[str], title: str, timeout_s: float, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run what fetches something, whatever its status.

    Raises:
        MissingError: If it does not end in time.
    """
    try:
        return subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MissingError(
            f"{title} did not arrive within {timeout_s:g} s", "check the network and try again"
        ) from None
