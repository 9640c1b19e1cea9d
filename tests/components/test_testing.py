"""JUnit reports of several tools, read by the names that ledgers use."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from perflab.model.errors import BenchError
from perflab.model.lab import Lab
from perflab.topics import manifest
from perflab.topics.catalogue import Component
from perflab.topics.testing import run_tests

if TYPE_CHECKING:
    from pathlib import Path


def component(folder: Path, cases: str) -> Component:
    (folder / "report.txt").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    command = ["cp", "report.txt", "report.xml"]
    return Component(
        folder,
        manifest.Manifest(
            "toy",
            "Toys",
            "any",
            manifest.Build([]),
            manifest.Bench([]),
            test=manifest.Test(command, "*.xml"),
            requires=[],
        ),
        Lab.from_environment(),
    )


@pytest.mark.parametrize(
    ("suite", "case"),
    [
        ("org.toys.Suite", "holds()"),
        ("Suite", "holds"),
        ("Suite/0", "holds"),
        ("Every/Suite", "holds/mutex"),
        ("Every/Suite/12", "holds"),
    ],
)
def test_a_case_is_found_whatever_its_tool_makes_of_its_name(tmp_path: Path, suite: str, case: str) -> None:
    toys = component(tmp_path, f'<testcase classname="{suite}" name="{case}"/>')
    assert [(one.test, one.passed) for one in run_tests(toys, ["Suite#holds"])] == [("Suite#holds", True)]


def test_of_a_test_with_parameters_one_failure_is_enough(tmp_path: Path) -> None:
    cases = (
        '<testcase classname="Suite/0" name="holds"/>'
        '<testcase classname="Suite/1" name="holds"><failure message="it does not"/></testcase>'
        '<testcase classname="Suite/2" name="holds"/>'
    )
    (outcome,) = run_tests(component(tmp_path, cases), ["Suite#holds"])
    assert (outcome.passed, outcome.message) == (False, "failure: it does not")


@pytest.mark.parametrize("report", ["<testsuites><testsuite>", "<html/>", "no XML", "\xff"])
def test_a_report_that_is_none_is_one_line(tmp_path: Path, report: str) -> None:
    toys = component(tmp_path, "")
    (tmp_path / "report.txt").write_bytes(report.encode("latin-1"))
    with pytest.raises(BenchError, match=r"report\.xml is no report of tests"):
        run_tests(toys, ["Suite#holds"])


def timed(folder: Path, when: str) -> Component:
    """Whose report is written at another time than the clock shows afterwards."""
    toys = component(folder, '<testcase classname="Suite" name="holds"/>')
    command = ["sh", "-c", f"cp report.txt report.xml && touch -d {when} report.xml"]
    return replace(toys, manifest=msgspec.structs.replace(toys.manifest, test=manifest.Test(command, "*.xml")))


@pytest.mark.parametrize("when", ["2001-01-01", "2099-01-01"])
def test_a_report_is_of_this_run_whatever_the_clock_does(tmp_path: Path, when: str) -> None:
    toys = timed(tmp_path, when)
    assert [one.passed for one in run_tests(toys, ["Suite#holds"])] == [True]
    (tmp_path / "report.txt").unlink()
    with pytest.raises(BenchError, match="gave no report"):
        run_tests(toys, ["Suite#holds"])


def test_a_suite_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflab.topics.testing._TIMEOUT_S", 1)
    program = "import os, subprocess; os.mkfifo('held'); subprocess.run('exec 3<>held; sleep 1000', shell=True)"
    hanging = replace(
        component(tmp_path, ""),
        manifest=msgspec.structs.replace(
            component(tmp_path, "").manifest, test=manifest.Test(["{python}", "-c", program], "*.xml")
        ),
    )
    with pytest.raises(BenchError, match="did not end within 1 s"):
        run_tests(hanging, ["Suite#hangs"])
    # Nobody has the pipe open any more.
    with pytest.raises(OSError, match="No such device"):
        os.open(tmp_path / "held", os.O_WRONLY | os.O_NONBLOCK)
