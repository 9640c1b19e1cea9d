"""`cargo test` with a JUnit report: the stable test harness of Rust prints lines and writes no file.

    python -m perflab.topics.cargo_test REPORT [--only NAME,NAME] CARGO test [OPTION]...

A test is called `module#function` after its innermost module, without one called `tests`; one at the top of a file of
`tests/` after the file, one in a documentation after its crate. `--only` takes such names.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from junitparser import Failure, Skipped, TestCase, TestSuite

from perflab.topics.junit import writable

if TYPE_CHECKING:
    from collections.abc import Iterable


_RUNNING = re.compile(r"\s+Running (?:unittests )?(?P<source>\S+) \((?P<program>[^)]+)\)")
_DOCUMENTATION = re.compile(r"\s+Doc-tests (?P<crate>\S+)")
_TEST = re.compile(r"test (?P<name>.+?)(?: - should panic)? \.\.\. (?P<outcome>ok|FAILED|ignored)(?:, (?P<why>.*))?$")
_DETAILS = re.compile(r"---- (?P<name>.+) stdout ----$")
_END_OF_DETAILS = re.compile(r"failures:$|test result: ")
_HASH = re.compile(r"-[0-9a-f]{16}$")


@dataclass
class Case:
    """A test: the program that it is in, the path of its module, its name, and how it went."""

    program: str
    module: str
    name: str
    outcome: str
    why: str = ""

    @property
    def title(self) -> str:
        """As the ledger names it."""
        return f"{self.module.rpartition('.')[2]}#{self.name}"


def main(arguments: list[str]) -> int:
    """Run it.

    Returns:
        Cargo's status.
    """
    report, *command = arguments
    only: list[str] = []
    if command[:1] == ["--only"]:
        only = command[1].split(",")
        # The harness takes a test if any of these is part of its name.
        command = [*command[2:], *([] if "--" in command else ["--"]), *(name.rpartition("#")[2] for name in only)]
    lines: list[str] = []
    # Not by `processes.start`: it belongs to the group of this module, which the lab started and ends.
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as cargo:
        for line in cargo.stdout or ():
            sys.stdout.write(line)
            lines.append(line.rstrip("\n"))
    cases = [case for case in read(lines) if not only or case.title in only]
    write(Path(report), cases)
    return cargo.returncode


def read(lines: Iterable[str]) -> list[Case]:
    """The tests in what Cargo and the harness have printed."""
    cases: list[Case] = []
    program, details = "", ""
    for line in lines:
        if match := _RUNNING.match(line):
            program = _HASH.sub("", Path(match["program"]).name)
        elif match := _DOCUMENTATION.match(line):
            program = match["crate"]
        elif match := _TEST.match(line):
            module, name = _place(program, match["name"])
            cases.append(Case(program, module, name, match["outcome"], match["why"] or ""))
        elif match := _DETAILS.match(line):
            details = match["name"]
        elif _END_OF_DETAILS.match(line):
            details = ""
        elif details:
            _explain(cases, program, details, line)
    return cases


def _place(program: str, path: str) -> tuple[str, str]:
    if " - " in path:
        # `src/lib.rs - module::Item (line 12)`.
        return f"{program}.doc", path
    *modules, name = path.split("::")
    if modules[-1:] == ["tests"]:
        modules.pop()
    return ".".join([program, *modules]), name


def _explain(cases: list[Case], program: str, path: str, line: str) -> None:
    module, name = _place(program, path)
    for case in cases:
        if (case.program, case.module, case.name) == (program, module, name):
            case.why += line + "\n"


def write(report: Path, cases: list[Case]) -> None:
    """Write a JUnit file."""
    suite = TestSuite("cargo test")
    for case in cases:
        entry = TestCase(case.name, case.module)
        if kind := {"FAILED": Failure, "ignored": Skipped}.get(case.outcome):
            entry.result = [kind(writable(case.why.strip()))]
        suite.append(entry)
    suite.update_statistics()
    report.parent.mkdir(parents=True, exist_ok=True)
    suite.write(str(report))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
