"""Run a component's own tests as evidence for claims on mechanisms."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

import msgspec
from junitparser import JUnitXmlError
from junitparser.xunit2 import JUnitXml

from perflab.host.processes import run_group
from perflab.host.toolchains import expand
from perflab.model.errors import COLOUR, BenchError, MissingError, UsageError, one_line, unknown
from perflab.model.files import UNREADABLE
from perflab.topics.program import describe, program_command, program_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from junitparser import TestCase, TestSuite

    from perflab.topics.catalogue import Component


_TIMEOUT_S = 900
_LOG_LINES_SHOWN = 15


class TestOutcome(msgspec.Struct, frozen=True):
    """A test by its requested name, whether it passed, and if not, why."""

    test: str
    passed: bool
    message: str = ""


def run_tests(component: Component, tests: Sequence[str]) -> list[TestOutcome]:
    """Run tests named `Class#method` with the component's own tool, and read the JUnit reports."""
    if component.manifest.test is None:
        raise UsageError(f"{component.name} has no [test] in its manifest")
    environment = program_environment(component)
    earlier = find_reports(component.folder, component.manifest.test.reports)
    command = expand(component.manifest.test.command, environment, test=component.manifest.test.separator.join(tests))
    try:
        done = run_group(command, folder=component.folder, environment=environment, timeout_s=_TIMEOUT_S)
    except OSError as error:
        raise MissingError(f"cannot start {command[0]}: {error.strerror}", "see [test] in the manifest") from None
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"the tests of {component.name} did not end within {_TIMEOUT_S} s and were ended",
            f"does one of them hang? {', '.join(tests)}",
        ) from None
    cases: dict[str, TestOutcome] = {}
    for suite in read_suites(component.folder, component.manifest.test.reports, earlier):
        for case in suite:
            outcome = _outcome(case)
            # A parameterised test passes if all cases with its name do.
            if outcome.test not in cases or cases[outcome.test].passed:
                cases[outcome.test] = outcome
    if not cases:
        tail = "\n".join((done.stdout + done.stderr).decode("utf-8", "replace").splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the tests of {component.name} gave no report (status {done.returncode}):\n{tail}")
    missing = [test for test in tests if test not in cases]
    if missing:
        raise UsageError(f"{component.name} has no test {missing[0]!r}", "the ledger names it as evidence")
    return [cases[test] for test in tests]


def _outcome(case: TestCase) -> TestOutcome:
    """Return a case's outcome, named `Class#method` without package and parentheses.

    GoogleTest's `Instance/Suite.Name/0` and `Suite/0.Name`, of parameterised and of typed tests, are `Suite#Name`.
    """
    suite = re.sub(r"/\d+$", "", (case.classname or "").rpartition(".")[2]).rpartition("/")[2]
    name = suite + "#" + re.split(r"[(/]", case.name or "", maxsplit=1)[0]
    broken = next(iter(case.result), None)
    message = "" if broken is None else f"{broken._tag}: {broken.message or ''}".strip()  # noqa: SLF001 - its name
    return TestOutcome(name, broken is None, message)


_CONTRACT_TIMEOUT_S = 180


class ContractCheck(msgspec.Struct, frozen=True):
    """A check of the contract suite on a variant; `known` if its failure is a finding."""

    name: str
    passed: bool
    variant: str = ""
    known: bool = False
    message: str = ""


def check_plugin(component: Component, plugin: Path) -> list[ContractCheck]:
    """Run the component's contract suite on a plug-in's variants."""
    if component.manifest.plugin is None or not component.manifest.plugin.contract:
        raise UsageError(f"{component.name} takes no plug-ins", "its manifest has no [plugin] contract")
    command = expand(component.manifest.plugin.contract, program_environment(component), plugin=str(plugin.resolve()))
    return _run(component, command, program_environment(component), plugin.stem)


def check_variant(component: Component, variant: str) -> list[ContractCheck]:
    """Run the component's contract suite on one of its own variants."""
    findings = {one.name: one.findings for one in describe(component).variants}
    if variant not in findings:
        raise unknown(f"variant of {component.name}", variant, findings)
    command = program_command(component, "contract", "--variant", variant, variant=variant)
    return _run(component, command, program_environment(component, variant), variant, known=bool(findings[variant]))


def _run(
    component: Component, command: list[str], environment: dict[str, str], variant: str, *, known: bool = False
) -> list[ContractCheck]:
    try:
        done = run_group(command, folder=component.folder, environment=environment, timeout_s=_CONTRACT_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"the contract suite did not end within {_CONTRACT_TIMEOUT_S} s", "does a call of the variant never return?"
        ) from None
    messages = [message for line in done.stdout.splitlines() if (message := _read(line))]
    try:
        checks = [msgspec.convert(message, ContractCheck) for message in messages if message.get("type") == "check"]
    except msgspec.ValidationError as error:
        raise BenchError(f"the contract suite printed no check: {one_line(error)}", "see docs/protocol.md") from None
    if not checks:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BenchError(f"the contract suite of {component.name} checked nothing: {said[-1] if said else 'no output'}")
    if messages[-1].get("type") != "end":
        # A variant that crashes its process has failed, whatever passed before.
        why = f"the process ended with status {done.returncode} after {checks[-1].name!r}"
        checks.append(
            ContractCheck("the suite gets to its end", passed=False, variant=variant, known=known, message=why)
        )
    return checks


def _read(line: bytes) -> dict[str, object]:
    """Decode a message of the suite; empty if the line is not one."""
    try:
        message = msgspec.json.decode(line, type=dict[str, object])
    except UNREADABLE:
        return {}
    if message.get("type") == "error":
        raise BenchError(f"the contract suite failed: {message.get('message')}")
    return message


# Characters that XML 1.0 cannot represent.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def writable(text: str) -> str:
    """Return the text without characters that XML cannot hold, such as those of colours."""
    return _UNWRITABLE.sub("", COLOUR.sub("", text))


Reports = Mapping["Path", tuple[int, ...]]
"""Reports by path, with file attributes that change on every write, independent of the clock."""


def find_reports(folder: Path, pattern: str) -> Reports:
    """Find all reports in a folder and its subfolders."""
    try:
        found = [(path, path.stat()) for path in folder.glob(pattern)]
    except ValueError as error:
        raise UsageError(
            f"reports = {pattern!r} is no pattern of paths: {error}", "see docs/adding-a-topic.md"
        ) from None
    return {path: (one.st_ino, one.st_mtime_ns, one.st_ctime_ns, one.st_size) for path, one in found}


def read_suites(folder: Path, pattern: str, earlier: Reports) -> Iterator[TestSuite]:
    """Read the suites of all reports in a folder, except the `earlier` ones."""
    for path, state in sorted(find_reports(folder, pattern).items()):
        if earlier.get(path) != state:
            try:
                yield from JUnitXml.fromfile(str(path))
            except (ParseError, JUnitXmlError, LookupError, TypeError, ValueError, *UNREADABLE) as error:
                raise BenchError(f"{path.name} is no report of tests: {one_line(error)}", "run them again") from None
