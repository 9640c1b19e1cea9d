"""`lab test`: the lab's own tests, all languages. `noxfile.py` says what they are, nox runs them."""

from __future__ import annotations

import hashlib
import runpy
import shlex
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from perflab.cli.output import Output, exit_status
from perflab.model.errors import LabError, MissingError, ShortfallError
from perflab.model.lab import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import nox
    from junitparser import TestCase

    from perflab.model.lab import Lab

_AT_ONCE = 3
"""Steps; one of them usually waits."""
_GRACE_S = 20.0
"""Time an interrupted step has to stop the processes of its tests."""
_SLOWEST = 10
_NO_TESTS = 5
"""Exit status of pytest when no test was selected."""


@click.command("test", epilog="Example: ./lab test --only lint --only python")
@click.option("--only", multiple=True, metavar="STEP", help="Run only this step; may be repeated.")
@click.option("--changed", is_flag=True, help="Run only steps with a file that differs from main.")
@click.option("--all", "everything", is_flag=True, help="Run unchanged steps and long tests too.")
@click.option("--strict", is_flag=True, help="Run unchanged steps too; fail if a step cannot run on this machine.")
@click.option("--list", "listed", is_flag=True, help="List the steps and exit.")
@click.pass_obj
def test_command(lab: Lab, only: tuple[str, ...], changed: bool, everything: bool, strict: bool, listed: bool) -> None:
    """Run the lab's own tests: formatters and linters, Python, each topic's own, notebooks and the browser.

    The steps are the sessions of noxfile.py; three run at a time. If a step fails, its output is printed when it ends.
    A step is not run again if it passed on this machine and its files and tools are unchanged. A step is left out, with
    a message, if its toolchain is not installed. With --only, the named steps always run and print their output as they
    go.
    """
    from perflab.host.git import ask_git
    from perflab.model.errors import unknown

    output = Output("human")
    with exit_status(output):
        noxfile = str(lab.root / "noxfile.py")
        steps: dict[str, Step] = runpy.run_path(noxfile)["STEPS"]
        for name in only:
            if name not in steps:
                raise unknown("test step", name, steps)
        chosen = {name: steps[name] for name in only or steps}
        if changed:
            bases = (ask_git(lab.root, "merge-base", "HEAD", main) for main in ("origin/main", "main"))
            if base := next(filter(None, bases), ""):
                chosen = {name: step for name, step in chosen.items() if step.is_changed(base)}
            else:
                click.echo("nothing to compare with: there is no git, or no branch main; all steps run")
        if listed:
            for step in chosen.values():
                click.echo(f"{step.name:<20} {step.about}")
            return
        given = {"--only": bool(only), "--all": everything, "--strict": strict}
        options = {name for name, is_given in given.items() if is_given}
        unchanged = [] if options else [name for name, step in chosen.items() if step.has_passed(options)]
        names = [name for name in chosen if name not in unchanged and (only or name != "setup")]
        if not only and any(steps[name].after for name in names):
            names.insert(0, "setup")
        for name in names:
            steps[name].kept.unlink(missing_ok=True)
        if names:
            how = ["--no-dependencies"] if only else ["--allow-parallel", f"--parallel={_AT_ONCE}"]
            _run([sys.executable, "-P", "-m", "nox", "-f", noxfile, *how, "-s", *names, "--", *sorted(options)])
        _summarise(output, {name: steps[name].result() for name in names}, unchanged, strict=strict)


def _run(command: list[str]) -> None:
    """Run nox; an interrupt ends it with all that it has started, also where a shell has put this in the background."""
    from perflab.host.guard import marked
    from perflab.host.processes import end_group

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Not by `processes.start`: nox writes to this terminal.
    process = subprocess.Popen(command, env=marked(), stdin=subprocess.DEVNULL, process_group=0)
    try:
        process.wait()
    finally:
        if process.returncode is None:
            end_group(process, _GRACE_S, signal.SIGINT)  # as Ctrl-C does


def _summarise(output: Output, results: Mapping[str, Result], unchanged: Sequence[str], *, strict: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    colours = {"passed": "green", "failed": "bold red", "left out": "yellow"}
    table = Table("step", "outcome", "passed", "failed", "skipped", "seconds")
    for name, result in results.items():
        numbers = (result.passed, len(result.failures), result.skipped, result.seconds)
        outcome = Text(result.outcome, style=colours[result.outcome])
        table.add_row(name, outcome, *(f"{number:.0f}" for number in numbers))
    output.print(table)
    for name, result in results.items():
        for reason in dict.fromkeys(result.skips):
            click.echo(f"skipped in {name}: {reason}")
        for failure in result.failures:
            click.secho(f"failed in {name}: {failure}", fg="red")
        if result.reason:
            click.secho(f"{result.outcome}: {name}: {result.reason}", fg="yellow")
    if unchanged:
        click.echo(f"unchanged since they passed, so not run: {', '.join(unchanged)} (./lab test --all runs them)")
    passed, skipped = (sum(getattr(one, what) for one in results.values()) for what in ("passed", "skipped"))
    click.echo(f"{passed} passed, {sum(len(one.failures) for one in results.values())} failed, {skipped} skipped")
    bad = {"failed", "left out"} if strict else {"failed"}
    if broken := [name for name, result in results.items() if result.outcome in bad]:
        raise ShortfallError(f"failed: {', '.join(broken)}", f"again: ./lab test --only {broken[0]}")


@dataclass(frozen=True)
class Work:
    """Commands, run one after the other until one fails; `reports` is a glob of the JUnit files that they write."""

    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    folder: Path = CHECKOUT
    reports: str = ""
    missing: int | None = None  # exit status for a missing tool


@dataclass
class Result:
    """The outcome of a step; without JUnit files each command counts as a test."""

    outcome: str
    passed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    reason: str = ""
    failures: list[str] = field(default_factory=list)
    skips: list[str] = field(default_factory=list)

    def count(self, cases: Iterable[TestCase]) -> list[tuple[float, str]]:
        """Count tests, and return the slowest with their seconds."""
        times = []
        for case in cases:
            test, message = f"{case.classname}.{case.name}", "no reason given"
            times.append((case.time or 0.0, test))
            if case.result:
                message = next(
                    iter((case.result[0].message or case.result[0].text or "").strip().splitlines()), message
                )
            if case.is_skipped:
                self.skipped += 1
                self.skips.append(message)
            elif case.result:
                self.failures.append(f"{test}: {message}")
            else:
                self.passed += 1
        return sorted(times, reverse=True)[:_SLOWEST]


@dataclass(frozen=True)
class Step:
    """A step of `lab test`.

    Attributes:
        name: Name for `--only`.
        about: Description for people.
        inputs: Git pathspecs of the files on which its outcome depends; all files without any.
        work: Returns what to run, given the options; raises `MissingError` if that cannot run on this machine.
        builds: Languages whose build folders it writes to; of those that share one, only one runs at a time.
        after: Steps that have to end before.
        root: The checkout that it tests.
    """

    name: str
    about: str
    inputs: tuple[str, ...]
    work: Callable[[set[str]], Work]
    builds: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    root: Path = CHECKOUT

    @property
    def kept(self) -> Path:
        """File of the last result."""
        return self.root / ".lab" / "test" / f"{self.name}.json"

    @property
    def _passed(self) -> Path:
        return self.kept.with_suffix(".passed")

    def result(self) -> Result:
        """Return the last result; a failure if there is none."""
        import msgspec

        try:
            return msgspec.json.decode(self.kept.read_bytes(), type=Result)
        except OSError:
            return Result("failed", failures=["it did not run to its end"])

    def has_passed(self, options: set[str]) -> bool:
        """Return whether the step passed before with the same files, commands and tools."""
        try:
            return self._passed.read_text(encoding="utf-8") == self._fingerprint(self.work(options))
        except (OSError, LabError):
            return False

    def is_changed(self, base: str) -> bool:
        """Return whether one of its files differs from what it was in a commit, or is new."""
        from perflab.host.git import ask_git

        new = self._listed("--others", "--exclude-standard")
        return bool(new or ask_git(self.root, "diff", "--name-only", base, "--", *(self.inputs or ["."])))

    def run(self, session: nox.Session) -> None:
        """Run the step and keep its result; raise nox's error if it fails."""
        import msgspec

        result = Result("failed")
        try:
            self._run(session, result)
        except LabError as error:
            result.outcome, result.reason = "left out" if isinstance(error, MissingError) else "failed", str(error)
        self.kept.write_bytes(msgspec.json.encode(result))
        # If a topic cannot be built, the others are tested all the same.
        if self.name != "setup" and result.outcome == "failed":
            session.error(result.reason or f"{len(result.failures)} failed")

    def _run(self, session: nox.Session, result: Result) -> None:
        from filelock import FileLock

        from perflab.topics.testing import find_reports, read_suites

        self.kept.parent.mkdir(parents=True, exist_ok=True)
        self._passed.unlink(missing_ok=True)
        options = set(session.posargs)
        work = self.work(options)
        before, earlier = self._fingerprint(work), find_reports(work.folder, work.reports or "*.none")
        status, ran = 0, 0
        with ExitStack() as locks:
            for language in self.builds:
                locks.enter_context(FileLock(self.kept.with_name(f"{language}.lock")))
            started = time.monotonic()
            while status == 0 and ran < len(work.commands):
                with session.chdir(work.folder):
                    status = _start(session, work.commands[ran], work, options)
                ran += 1
            result.seconds = time.monotonic() - started
        if status == work.missing:
            raise MissingError("something is missing on this machine (see above)", "./lab doctor")
        if work.reports:
            suites = read_suites(work.folder, work.reports, earlier)
            for seconds, test in result.count(case for suite in suites for case in suite):
                session.log(f"{seconds:7.1f} s  {test}")
        else:
            result.passed = ran - (status != 0)
        if status != 0 and not result.failures:
            result.failures = [shlex.join(work.commands[ran - 1])]
        result.outcome = "failed" if result.failures else "passed"
        if before and result.outcome == "passed" and self._fingerprint(work) == before:
            self._passed.write_text(before, encoding="utf-8")

    def _listed(self, *options: str) -> set[str]:
        from perflab.host.git import ask_git

        return {*ask_git(self.root, "ls-files", "-z", *options, "--", *(self.inputs or ["."])).split("\0")} - {""}

    def _fingerprint(self, work: Work) -> str:
        """Return a hash of the files, commands and tools; empty where git lists no files."""
        names = self._listed("--cached", "--others", "--exclude-standard")
        digest = hashlib.sha256(repr((work, sys.version)).encode())
        for path in map(self.root.joinpath, sorted(names)):
            digest.update(b"%s\0%s\0" % (bytes(path), path.read_bytes() if path.is_file() else b""))
        return digest.hexdigest() if names else ""


def _start(session: nox.Session, command: list[str], work: Work, options: set[str]) -> int:
    """Run a command and return its status; without `--only`, what it prints is shown if it fails."""
    from nox.command import CommandFailed

    # The tests start hundreds of processes, each a second slower without cached bytecode.
    variables: dict[str, Any] = {**work.environment, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": ""}
    if "--strict" in options:
        variables["PERFLAB_STRICT"] = "1"
    try:
        session.run(
            *command,
            env=variables,
            external=True,
            silent="--only" not in options,
            success_codes=[0, _NO_TESTS] if work.reports else [0],
            interrupt_timeout=_GRACE_S,
        )
    except CommandFailed as error:
        return error.return_code or 1
    return 0
