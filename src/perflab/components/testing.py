"""Running a component's own tests, as evidence for claims on mechanisms."""

from __future__ import annotations

import re
import subprocess
import time
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import msgspec

from perflab.components.program import program_environment
from perflab.errors import BenchError, UsageError
from perflab.toolchains import expand, run_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perflab.components.catalogue import Component

_TIMEOUT_S = 900
_LOG_LINES_SHOWN = 15


class TestOutcome(msgspec.Struct, frozen=True):
    """A test by the name under which it was asked for, whether it passed, and if not, why."""

    test: str
    passed: bool
    message: str = ""


def run_tests(component: Component, tests: Sequence[str]) -> list[TestOutcome]:
    """Run these tests with the component's own tool and read the JUnit reports.

    Args:
        component: The component.
        tests: Names as `Class#method`.

    Raises:
        UsageError: If the manifest has no `[test]`, or a test does not exist.
        BenchError: If the tool fails without a report, or does not end.
    """
    if component.manifest.test is None:
        raise UsageError(f"{component.name} has no [test] in its manifest")
    environment = program_environment(component)
    begun = time.time()
    command = expand(component.manifest.test.command, environment, test=component.manifest.test.separator.join(tests))
    try:
        done = run_group(command, folder=component.folder, environment=environment, timeout_s=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise BenchError(
            f"the tests of {component.name} did not end within {_TIMEOUT_S} s and were ended",
            f"does one of them hang? {', '.join(tests)}",
        ) from None
    cases: dict[str, TestOutcome] = {}
    for path in component.folder.glob(component.manifest.test.reports):
        # Reports of earlier runs lie in the same folder.
        if path.stat().st_mtime >= begun - 1:
            cases.update(_cases(path.read_text(encoding="utf-8")))
    if not cases:
        tail = "\n".join((done.stdout + done.stderr).decode("utf-8", "replace").splitlines()[-_LOG_LINES_SHOWN:])
        raise BenchError(f"the tests of {component.name} gave no report (status {done.returncode}):\n{tail}")
    missing = [test for test in tests if test not in cases]
    if missing:
        raise UsageError(f"{component.name} has no test {missing[0]!r}", "the ledger names it as evidence")
    return [cases[test] for test in tests]


def _cases(report: str) -> dict[str, TestOutcome]:
    """JUnit's cases by `Class#method`: class names without their package, methods without their parentheses.

    GoogleTest's `Instance/Suite.Name/0` and `Suite/0.Name`, of parameterised and of typed tests, are `Suite#Name`.
    """
    found: dict[str, TestOutcome] = {}
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - our own tool's report
        suite = re.sub(r"/\d+$", "", case.get("classname", "").rpartition(".")[2]).rpartition("/")[2]
        name = suite + "#" + re.split(r"[(/]", case.get("name", ""), maxsplit=1)[0]
        broken = next((child for child in case if child.tag in {"failure", "error", "skipped"}), None)
        message = "" if broken is None else f"{broken.tag}: {broken.get('message') or ''}".strip()
        # Cases of a parameterised test share its name: it passed if all did.
        if name not in found or found[name].passed:
            found[name] = TestOutcome(name, broken is None, message)
    return found
