"""One fork: a fresh process of one variant, from its start to its last line."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections import deque
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from perflab.host.processes import end_group, read, start
from perflab.model.errors import BenchError, LabError, MissingError, UsageError, VoidError
from perflab.model.protocol import End, Failure, Sample, Start, read_message
from perflab.topics.program import own_runtime, provide_runtime, runtime_state

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path
    from resource import struct_rusage

    from perflab.host.processes import Started
    from perflab.host.spawner import Spawner
    from perflab.model.progress import Progress
    from perflab.model.protocol import Variant
    from perflab.topics.catalogue import Component


DELAY = "os:run_delay_s"
"""Seconds for which the main thread of a process was ready to run and had no processor; only known of a spawner's."""

_LONGEST_LINE = 1 << 20
_LOG_LINES_KEPT = 20
_LONGEST_LOG_LINE = 2_000


@dataclass
class Fork:
    """The result of a fork.

    Attributes:
        usage: The operating system's counters by the store's names.
        exit_status: A signal's is negative.
        left: Number of processes it left running, which were killed; known of a spawner's only.
    """

    samples: list[Sample] = field(default_factory=list)
    start: Start | None = None
    end: End | None = None
    wall_s: float = 0.0
    rusage: struct_rusage | None = None
    usage: dict[str, float] = field(default_factory=dict)
    exit_status: int | None = None
    left: int = 0

    @property
    def runtime(self) -> str:
        """Name and version of the runtime that it reports; empty if none."""
        runtime = self.start.runtime if self.start else None
        return f"{runtime.name} {runtime.version}" if runtime else ""


def run_fork(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    samples: int | None = None,
    on_sample: Callable[[Sample], None] = lambda _: None,
    on_start: Callable[[int], None] = lambda _: None,
    fork: Fork | None = None,
    reader: Callable[[Fork], Reader] | None = None,
    spawner: Spawner | None = None,
    streams: Mapping[int, int] = MappingProxyType({}),
) -> Fork:
    """Run a bench program in a process group of its own, which has ended when this returns or raises.

    Args:
        command: Program and arguments.
        cwd: Its folder.
        environment: All its variables.
        timeout_s: Seconds after which it is ended.
        samples: The most samples that it may print.
        on_sample: Called with each sample.
        on_start: Called with the process id.
        fork: Gets the result, also where the fork fails.
        reader: Another reader than that of the bench protocol; hands on samples itself.
        spawner: Starts it, so that only its own time and memory count.
        streams: See `Spawner.start`.

    Raises:
        BenchError: If it fails, breaks the protocol, does not validate, or exceeds `timeout_s`.
        UsageError: If it rejects its arguments.
        MissingError: If it, or something that it needs, is not on this machine.
    """
    begun, earlier = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    spawned = None
    try:
        if spawner:
            process: Started = (spawned := spawner.start(command, folder=cwd, environment=environment, streams=streams))
        else:
            process = start(command, folder=cwd, environment=environment)
    except OSError as error:
        raise MissingError(f"cannot start {command[0]}: {error.strerror}", "build the component first") from None
    fork = Fork() if fork is None else fork
    follower = reader(fork) if reader else _Reader(on_sample, fork, samples)
    try:
        on_start(process.pid)
        try:
            read(process, follower.feed, begun + timeout_s)
            if isinstance(process, subprocess.Popen):
                fork.rusage = _wait(process, begun + timeout_s, timeout_s)
            else:
                process.wait(max(begun + timeout_s - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            raise _too_late(timeout_s) from None
    finally:
        end_group(process)
        fork.wall_s = time.monotonic() - begun
        if spawned:
            fork.rusage, fork.wall_s, fork.left = spawned.rusage, spawned.wall_s or fork.wall_s, spawned.left
        fork.usage = _usage(fork.rusage) if fork.rusage else _usage_since(earlier)
        if spawned:
            fork.usage[DELAY] = spawned.delay_s
        if spawner and fork.usage.get("os:max_rss_bytes", 0) <= spawner.floor_bytes:
            fork.usage.pop("os:max_rss_bytes", None)
    assert process.returncode is not None  # noqa: S101 - it has been waited for
    fork.exit_status = process.returncode
    follower.check(process.returncode)
    return fork


class Reader(Protocol):
    """Reads what a fork prints, as it comes, and judges it when it has ended."""

    def feed(self, stream: str, data: bytes) -> None:
        """Take a part of `stdout` or `stderr`; raise a BenchError to end the fork."""

    def check(self, status: int) -> None:
        """Raise a LabError if the fork, whose usage is known by now, has failed; a signal's status is negative."""


class _Reader:
    """Follows the protocol: a start, samples, an end or an error, and nothing after it."""

    def __init__(self, on_sample: Callable[[Sample], None], fork: Fork, most: int | None) -> None:
        self.fork = fork
        self._most = most
        self.log: deque[str] = deque(maxlen=_LOG_LINES_KEPT)
        self._on_sample = on_sample
        self._failure: Failure | None = None
        self._rest = {"stdout": b"", "stderr": b""}

    def feed(self, stream: str, data: bytes) -> None:
        *lines, rest = (self._rest[stream] + data).split(b"\n")
        if len(rest) > _LONGEST_LINE:
            if stream == "stdout":
                raise BenchError("the bench program printed a line without an end", self._said())
            rest = b""
        self._rest[stream] = rest
        for line in lines:
            if stream == "stderr":
                self.log.append(line[:_LONGEST_LOG_LINE].decode("utf-8", "replace"))
            elif line.strip():
                self._message(line)

    def check(self, status: int) -> None:
        if self._failure is not None:
            raise _error_of(self._failure)
        if status < 0:
            raise BenchError(f"the bench program was ended by {signal_name(-status)}", self._said())
        if self._rest["stdout"].strip():
            raise BenchError("the bench program ended in the middle of a line", self._said())
        if self.fork.start is None:
            raise BenchError(f"the bench program printed nothing and ended with status {status}", self._said())
        if self.fork.end is None:
            raise BenchError(f"the bench program stopped without an `end` line, with status {status}", self._said())
        if not self.fork.end.validation.passed:
            raise BenchError("the outcome did not validate: " + "; ".join(self.fork.end.validation.checks))
        if status != 0:
            raise BenchError(f"the bench program ended with status {status} after its `end` line", self._said())
        if self.fork.end.samples != len(self.fork.samples) or not self.fork.samples:
            raise BenchError(
                f"the bench program says it made {self.fork.end.samples} samples and printed {len(self.fork.samples)}"
            )

    def _message(self, line: bytes) -> None:
        message = read_message(line)
        if self.fork.end is not None or self._failure is not None:
            raise BenchError("the bench program printed a line after its last one", "see docs/protocol.md")
        if isinstance(message, Failure):
            self._failure = message
        elif isinstance(message, Start):
            self.fork.start = message
        elif self.fork.start is None:
            raise BenchError("the bench program printed no `start` line", "see docs/protocol.md")
        elif isinstance(message, Sample):
            if len(self.fork.samples) == self._most:
                raise BenchError(
                    f"the bench program printed more than the {self._most} samples that it was asked for",
                    "see --samples in docs/protocol.md",
                )
            self.fork.samples.append(message)
            self._on_sample(message)
        else:
            self.fork.end = message

    def _said(self) -> str:
        return f"log: {self.log[-1]}" if self.log else ""


def _wait(process: subprocess.Popen[bytes], deadline: float, timeout_s: float) -> struct_rusage:
    """Wait for the process by `wait4`, which also returns what it and its own children used."""
    pause = 0.001
    while True:
        pid, status, rusage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return rusage
        if time.monotonic() > deadline:
            raise _too_late(timeout_s)
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _usage_since(earlier: struct_rusage) -> dict[str, float]:
    """Return the usage of children that ended since then, without memory: only the largest of all is known."""
    before, after = _usage(earlier), _usage(resource.getrusage(resource.RUSAGE_CHILDREN))
    return {name: value - before[name] for name, value in after.items() if name != "os:max_rss_bytes"}


def _usage(rusage: struct_rusage) -> dict[str, float]:
    return {
        "os:user_s": rusage.ru_utime,
        "os:system_s": rusage.ru_stime,
        "os:voluntary_switches": rusage.ru_nvcsw,
        "os:involuntary_switches": rusage.ru_nivcsw,
        "os:minor_faults": rusage.ru_minflt,
        "os:major_faults": rusage.ru_majflt,
        "os:max_rss_bytes": rusage.ru_maxrss * 1024,
    }


def _error_of(failure: Failure) -> LabError:
    allowed = f"allowed: {', '.join(failure.allowed)}" if failure.allowed else ""
    if failure.kind == "usage":
        return UsageError(failure.message, allowed)
    if failure.kind == "missing":
        return MissingError(failure.message, allowed)
    if failure.kind == "void":
        return VoidError(failure.message)
    prefix = "the outcome did not validate: " if failure.kind == "validation" else "the bench program failed: "
    return BenchError(prefix + failure.message)


def _too_late(timeout_s: float) -> BenchError:
    return BenchError(f"the bench program did not end within {timeout_s:g} s and was ended", "raise --timeout")


def signal_name(number: int) -> str:
    """Return a signal's name, as in `SIGSEGV`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def provide_runtimes(
    component: Component, variants: Sequence[Variant], needed: Collection[str], progress: Progress
) -> list[Variant]:
    """Fetch runtimes that variants need of their own; return those that can run. Those in `needed` must."""
    able = []
    for variant in variants:
        runtime = own_runtime(component, variant.name)
        try:
            if runtime is not None and not runtime_state(runtime).ready:
                progress.update(0.0, f"fetching {', '.join(runtime.requires)} for {variant.name}, once")
                provide_runtime(runtime)
            able.append(variant)
        except MissingError as error:
            if variant.name in needed:
                raise MissingError(f"variant {variant.name!r} cannot run: {error.message}", error.hint) from None
            progress.note(f"{variant.name} is left out: {error}")
    return able
