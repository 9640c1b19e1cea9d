"""Three steps at a time: one of them usually waits."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, Protocol, cast

from perflab.cli.steps import fingerprint, has_passed, keep_passed
from perflab.host.guard import marked
from perflab.host.processes import end_group, result_of
from perflab.model.errors import LabError, MissingError
from perflab.topics.junit import find_reports, read_suites

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from threading import Event
    from typing import IO

    from junitparser.junitparser import Result as JUnitResult
    from junitparser.xunit2 import TestCase

    from perflab.cli.steps import Step, Work
    from perflab.topics.junit import Reports


_FINE = {0, 5}
"""Statuses of a command that has passed; 5 is pytest's when no test was selected."""

_LOOK_S = 0.2
"""How often a step looks whether it is to stop."""

_GRACE_S = 20.0
"""How long an interrupted step may take to put away what it has started, such as the servers of its tests."""


Outcome = Literal["passed", "failed", "left out", "unchanged"]
"""`left out`: it cannot run on this machine. `unchanged`: it has passed before, on the same files and tools."""


@dataclass(frozen=True)
class StepResult:
    """What came of a step."""

    name: str
    outcome: Outcome
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    reason: str = ""
    """Why it was left out, and what would help."""
    skips: list[str] = field(default_factory=list)
    """Why tests were left out, each reason once."""
    failures: list[str] = field(default_factory=list)
    """The tests that failed, each with the first line of what it said."""
    second_tries: list[str] = field(default_factory=list)
    """The tests that failed and were tried again, likewise; if they failed again, they are among `failures`, too."""


SECOND_TRY = "second try"
"""The property of a JUnit report that holds a test which was tried again."""

# The tests start hundreds of processes, each of which takes a second longer where Python may not keep what it compiled.
_PYTHON = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": ""}


def accept_interrupts() -> None:
    """Undo what a shell does to its background jobs: SIGINT ignored, in every process under test too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def run_step(
    step: Step, output: IO[str] | None = None, stopped: Event | None = None, *, unless_unchanged: bool = False
) -> StepResult:
    """Run a step's commands until one fails; what they print goes to `output`, if there is one.

    An interrupt of the calling thread, or `stopped` from another one, interrupts the command and all that it has
    started. A terminal would do so by itself, a CI server that cancels its job would not.

    Args:
        step: The step; it is left out if its toolchain is not on this machine.
        output: Where it prints; this process's own output without it.
        stopped: Set when the step is to end.
        unless_unchanged: Whether a step is not run that has passed before, on the same files and tools.
    """
    try:
        work = step.work()
    except LabError as error:
        return StepResult(step.name, "left out" if isinstance(error, MissingError) else "failed", reason=str(error))
    print_of_it = fingerprint(step, work)
    if unless_unchanged and has_passed(step, print_of_it):
        return StepResult(step.name, "unchanged")
    keep_passed(step, None)
    result = _run_all(step, work, output, stopped)
    if result.outcome == "passed" and fingerprint(step, work) == print_of_it:
        keep_passed(step, print_of_it)
    return result


def _run_all(step: Step, work: Work, output: IO[str] | None, stopped: Event | None) -> StepResult:
    started = time.monotonic()
    earlier = [find_reports(folder, pattern) for folder, pattern in work.reports]
    statuses = []
    for command in work.commands:
        for folder, _ in work.reports:
            folder.mkdir(parents=True, exist_ok=True)
        statuses.append(_run(command, work, output, stopped))
        if statuses[-1] not in _FINE:
            break
    tests = _read(work, earlier)
    done = statuses[-1] in _FINE if work.reports else statuses[-1] == 0
    if not work.reports:
        tests.passed = len(statuses) - (not done)
    if not done and not tests.failures:  # a command is a test, or did not come to its tests
        tests.failures = [shlex.join(work.commands[len(statuses) - 1])]
    seconds = time.monotonic() - started
    if statuses[-1] == work.missing:
        reason = "something is missing on this machine (see above; ./lab doctor shows what)"
        return StepResult(step.name, "left out", seconds=seconds, reason=reason)
    return StepResult(
        step.name,
        "passed" if statuses[-1] in _FINE else "failed",
        tests.passed,
        len(tests.failures),
        tests.skipped,
        seconds,
        skips=list(tests.skips),
        failures=tests.failures,
        second_tries=tests.second_tries,
    )


def _run(command: list[str], work: Work, output: IO[str] | None, stopped: Event | None) -> int:
    """The command's status."""
    # Not by `processes.start`: a step of the tests may write to the terminal that this command has.
    process = subprocess.Popen(
        command,
        cwd=work.cwd,
        # A kernel or a server that a test has started in a session of its own ends with this process, too.
        env=marked({**os.environ, **work.environment, **_PYTHON}),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        process_group=0,
    )
    try:
        while not (stopped and stopped.is_set()):
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK_S)
    finally:
        if process.returncode is None:
            end_group(process, _GRACE_S, signal.SIGINT)  # as Ctrl-C does
    return process.returncode


@dataclass
class _Tests:
    passed: int = 0
    skipped: int = 0
    skips: dict[str, None] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    second_tries: list[str] = field(default_factory=list)


def _read(work: Work, earlier: Sequence[Reports]) -> _Tests:
    """What the reports of a step's commands say; `earlier` are those that were there before, for each folder."""
    tests = _Tests()
    reports = zip(work.reports, earlier, strict=True)
    for suite in (suite for (folder, pattern), before in reports for suite in read_suites(folder, pattern, before)):
        again = [one.value for one in suite.properties() if one.name == SECOND_TRY]
        tests.second_tries += again
        tests.passed -= len(again)  # pytest's first try is a case of its own, without a failure
        for case in cast("Iterable[TestCase]", suite):
            # Those that Surefire has tried again, and that passed.
            tests.second_tries += [_named(case, one) for one in (*case.flaky_failures(), *case.flaky_errors())]
            if case.is_skipped:
                tests.skipped += 1
                tests.skips[case.result[0].message or "no reason given"] = None
            elif case.result:
                tests.failures.append(_named(case, case.result[0]))
            else:
                tests.passed += 1
    return tests


def _named(case: TestCase, fault: JUnitResult) -> str:
    said = (fault.message or fault.text or "").strip()
    return f"{case.classname}.{case.name}: {next(iter(said.splitlines()), '')}"


_AT_ONCE = 3


class Listener(Protocol):
    """Who is told; of one step at a time."""

    def started(self, step: Step) -> None:
        """It runs now."""

    def ended(self, step: Step, result: StepResult, printed: str) -> None:
        """It is over, and has printed this."""


def run_steps(steps: Sequence[Step], listener: Listener, *, unless_unchanged: bool = False) -> list[StepResult]:
    """Run all steps, three at a time; those of a group one after the other, as soon as its first one is due.

    Returns:
        What came of each, in the order of `steps`.
    """
    chains: dict[str, list[Step]] = {}
    for step in steps:
        chains.setdefault(step.group or f"{step.name} alone", []).append(step)
    stopped, telling = threading.Event(), threading.Lock()
    results: dict[str, StepResult] = {}

    def drive(chain: list[Step], folder: Path) -> None:
        for step in chain:
            if stopped.is_set():
                return
            with telling:
                listener.started(step)
            path = folder / step.name
            with path.open("w", encoding="utf-8") as output:
                result = run_step(step, output, stopped, unless_unchanged=unless_unchanged)
            with telling:
                results[step.name] = result
                listener.ended(step, result, path.read_text(encoding="utf-8", errors="replace"))

    with TemporaryDirectory() as folder, ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            # An interrupt may come before all are submitted: the pool would wait for those under way.
            for one in [pool.submit(drive, chain, Path(folder)) for chain in chains.values()]:
                result_of(one)
        finally:
            # On Ctrl-C the steps under way end, and no others start.
            stopped.set()
    return [results[step.name] for step in steps if step.name in results]
