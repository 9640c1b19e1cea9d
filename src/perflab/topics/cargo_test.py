"""Run `cargo test` and write a JUnit report, which Rust's stable test harness cannot.

    python -m perflab.topics.cargo_test REPORT [--only NAME,NAME] CARGO test [OPTION]...

A test is named `module#function` after its innermost module other than `tests`; at the top of a file in `tests/` after
the file, a doctest after its crate. `--only` takes these names.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from perflab.topics.testing import writable

if TYPE_CHECKING:
    from collections.abc import Iterable


_RUNNING = re.compile(r"\s+Running (?:unittests )?\S+ \((?P<program>[^)]+)\)")
_DOCUMENTATION = re.compile(r"\s+Doc-tests (?P<crate>\S+)")
_TEST = re.compile(r"test (?P<name>.+?)(?: - should panic)? \.\.\. (?P<outcome>ok|FAILED|ignored)(?:, (?P<why>.*))?$")
_DETAILS = re.compile(r"---- (?P<name>.+) stdout ----$")
_END_OF_DETAILS = re.compile(r"failures:$|test result: ")


@dataclass
class Case:
    """A test: its module's path, its name and its outcome."""

    module: str
    name: str
    outcome: str
    why: str = ""

    @property
    def title(self) -> str:
        """The test's name in ledgers."""
        return f"{self.module.rpartition('.')[2]}#{self.name}"


def main(arguments: list[str]) -> int:
    """Run the tests and return Cargo's exit status."""
    report, *command = arguments
    only: list[str] = []
    if command[:1] == ["--only"]:
        only = command[1].split(",")
        # The harness runs tests whose name contains any of these.
        command = [*command[2:], *([] if "--" in command else ["--"]), *(name.rpartition("#")[2] for name in only)]
    lines: list[str] = []
    # Not with `processes.start`: it stays in the group of this module, which perflab started and ends.
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
    write(Path(report), [case for case in read(lines) if not only or case.title in only])
    return cargo.returncode


def read(lines: Iterable[str]) -> list[Case]:
    """Return the tests in the output of Cargo and the harness."""
    cases: dict[tuple[str, str], Case] = {}
    program, details = "", ""
    for line in lines:
        if match := _RUNNING.match(line):
            program = re.sub(r"-[0-9a-f]{16}$", "", Path(match["program"]).name)
        elif match := _DOCUMENTATION.match(line):
            program = match["crate"]
        elif match := _TEST.match(line):
            module, name = _place(program, match["name"])
            cases[program, match["name"]] = Case(module, name, match["outcome"], match["why"] or "")
        elif match := _DETAILS.match(line):
            details = match["name"]
        elif _END_OF_DETAILS.match(line):
            details = ""
        elif (program, details) in cases:
            cases[program, details].why += line + "\n"
    return list(cases.values())


def _place(program: str, path: str) -> tuple[str, str]:
    if " - " in path:
        # `src/lib.rs - module::Item (line 12)`.
        return f"{program}.doc", path
    *modules, name = path.split("::")
    if modules[-1:] == ["tests"]:
        modules.pop()
    return ".".join([program, *modules]), name


def write(report: Path, cases: list[Case]) -> None:
    """Write a JUnit file."""
    suite = ET.Element("testsuite", name="cargo test", tests=str(len(cases)))
    for case in cases:
        test = ET.SubElement(suite, "testcase", classname=case.module, name=case.name)
        if kind := {"FAILED": "failure", "ignored": "skipped"}.get(case.outcome):
            ET.SubElement(test, kind, message=writable(case.why.strip()))
    report.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(suite).write(report, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
