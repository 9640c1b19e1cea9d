"""Running programs that fetch or build, quietly, and turning their failures into errors that say what to do."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING

from filelock import FileLock

from perflab.machine.guard import marked
from perflab.model.errors import BenchError, MissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import AnyStr


_LOG_LINES_SHOWN = 30
_GRACE_S = 2.0
_REAPED_S, _AGAIN_S = 1.0, 0.002


@contextlib.contextmanager
def build_lock(stamp: Path) -> Iterator[None]:
    """Hold the lock of what this stamp belongs to: two builds at once would write the same files.

    The operating system frees it when this process ends, however it ends.
    """
    stamp.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(stamp.with_suffix(".lock")):
        yield


def run_group(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    output: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program in a process group of its own, which has ended when this returns, whatever happens.

    Args:
        command: The program with its arguments.
        folder: Where it runs; this process's without one.
        environment: The whole of it; this process's without one.
        timeout_s: Seconds until the group is ended; for ever without.
        output: Where both streams go; they are captured, each for itself, by default.

    Raises:
        subprocess.TimeoutExpired: If it does not end in time.
        OSError: If it cannot be started.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=marked(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE if output == subprocess.PIPE else subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout_s)
        finally:
            end_group(process)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def end_group(process: subprocess.Popen[AnyStr], grace_s: float = _GRACE_S, sign: int = signal.SIGTERM) -> None:
    """End the process's group: with `sign` first, with SIGKILL after `grace_s` seconds."""
    try:
        if _signal_group(process, sign) and process.returncode is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(grace_s)
    finally:
        # Also if a second Ctrl-C ended the grace: nothing may run on beside the next measurement.
        if _signal_group(process, signal.SIGKILL):
            process.wait()
            _wait_for_group(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _wait_for_group(process: subprocess.Popen[AnyStr]) -> None:
    """Wait until what was killed is gone, but not for an init process that reaps nobody."""
    deadline = time.monotonic() + _REAPED_S
    while _signal_group(process, 0) and time.monotonic() < deadline:
        time.sleep(_AGAIN_S)


def _signal_group(process: subprocess.Popen[AnyStr], sign: int) -> bool:
    try:
        os.killpg(process.pid, sign)
    except ProcessLookupError:
        return False
    return True


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
        status = run_group(command, folder=folder, environment=environment, output=output).returncode
    if status != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the build of {title} failed with status {status}:\n{tail}", f"whole log: {log}")


def ask(command: Sequence[str | Path], timeout_s: float = 30) -> str | None:
    """What a program prints on standard output; None if it cannot be started, fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


@contextlib.contextmanager
def fetch_lock(folder: Path, what: str) -> Iterator[None]:
    """Make a cache folder and hold its lock: a second process waits, and then finds the files there.

    Raises:
        MissingError: If the folder cannot be written; `what` names the files that it is for.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "fetching.lock"):
            yield
    except OSError as error:
        raise MissingError(f"cannot keep {what}: {error}", f"make room in {folder}, or make it writable") from None


def error_line(output: str, pattern: str) -> str:
    """The last line of a failed program's output that starts with the pattern, in any case; else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(pattern, line, re.IGNORECASE)]
    return (errors or lines or ["it printed nothing"])[-1]


def run_fetch(
    command: Sequence[str], title: str, timeout_s: float, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run what fetches something, whatever its status.

    Raises:
        MissingError: If it does not end in time.
    """
    try:
        done = run_group(command, folder=folder, timeout_s=timeout_s)
    except subprocess.TimeoutExpired:
        raise MissingError(
            f"{title} did not arrive within {timeout_s:g} s", "check the network and try again"
        ) from None
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(command, done.returncode, out, err)
