"""A suite in two trees: which benchmarks both have, which are left out and why, and a machine that is unfit."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from silent import Silent

from perflab.bench.interface import Ended, Harness, Shape, sample
from perflab.claims import gate
from perflab.measure import suite as suites
from perflab.measure.suite import Part, Side, Suite, confirm_all, open_part, screen_all
from perflab.model.errors import BenchError
from perflab.model.lab import Lab
from perflab.model.project import SavedBench
from perflab.model.protocol import Sample, Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Printed(Harness):
    """Benchmarks are the lines `NAME NANOSECONDS` of the file `list` in the current folder."""

    about = "printed"
    scenario = Scenario("time", "an iteration", "ns/op", "lower")

    def benchmarks(self, target: str) -> list[str]:  # noqa: ARG002
        from pathlib import Path  # noqa: PLC0415

        if not Path("list").exists():
            raise BenchError("there is no list")
        return [line.split()[0] for line in Path("list").read_text().splitlines()]

    def command(self, target: str, benchmark: str, shape: Shape) -> list[str]:  # noqa: ARG002
        return ["grep", f"^{benchmark} ", "list"]

    def samples(self, ended: Ended, benchmark: str, shape: Shape) -> list[Sample]:  # noqa: ARG002
        return [sample(0, 1, float(ended.output.split()[1]), {})]


class Together(Printed):
    """The same, several in one process."""

    together = True

    def command_of_all(self, target: str, benchmarks: Sequence[str], shape: Shape) -> list[str]:  # noqa: ARG002
        return ["grep", "-E", f"^({'|'.join(benchmarks)}) ", "list"]

    def samples_of_each(self, ended: Ended, shape: Shape) -> dict[str, list[Sample]]:  # noqa: ARG002
        lines = [line.split() for line in ended.output.decode().splitlines()]
        return {name: [sample(0, 1, float(ns), {})] for name, ns in lines if ns != "fails"}


def opened(folder: Path, then: str, now: str, monkeypatch: pytest.MonkeyPatch, kind: type[Harness] = Printed) -> Suite:
    monkeypatch.setenv("PERFLAB_PRESET", "smoke")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setattr(suites, "find_harness", lambda _: kind())
    sides = []
    for name, text in (("main", then), ("here", now)):
        (folder / name).mkdir()
        if text:
            (folder / name / "list").write_text(text.replace(", ", "\n") + "\n")
        sides.append(Side(name, folder / name))
    lab = Lab(folder, folder / "c", folder / "claims", folder / "reference", folder / "results", folder / "lock")
    found = Suite(sides[0], sides[1], 0.02)
    open_part(found, Part("list", SavedBench([], "printed", ["list"])), lab, Silent())
    return found


def judged(suite: Suite) -> dict[str, str]:
    order = random.Random(1)  # noqa: S311
    screen_all(suite, 60, order, Silent(), lambda _: None)
    confirm_all(suite, 60, order, Silent(), lambda _: None)
    return {one.name: one.word(suite.threshold) for one in suite.pairs}


def test_what_one_tree_alone_has_is_named_and_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = opened(tmp_path, "a 1, B 1, gone 1", "a 1, b 1, new 1", monkeypatch)
    assert [one.name for one in suite.pairs] == ["a"]
    assert suite.only == {"main": ["B", "gone"], "here": ["b", "new"]}


def test_a_name_that_occurs_twice_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = opened(tmp_path, "a 1, a 2, b 1", "a 1, b 1", monkeypatch)
    assert [one.name for one in suite.pairs] == ["b"]
    assert suite.left_out == {"list: a": "main has 2 of this name"}


def test_a_part_that_one_tree_does_not_have_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = opened(tmp_path, "", "a 1", monkeypatch)
    assert suite.left_out == {"list": "main: there is no list"}


@pytest.mark.parametrize("kind", [Printed, Together])
def test_a_benchmark_that_fails_in_both_trees_is_left_out_and_in_one_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Harness]
) -> None:
    suite = opened(tmp_path, "a 100, b fails, c 1, d 100", "a 100, b fails, c fails, d 150", monkeypatch, kind)
    assert judged(suite) == {"a": "no difference", "c": "failed", "d": "slower"}
    assert [*suite.left_out] == ["b"]


def test_a_machine_on_which_a_benchmark_differs_from_itself_blames_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = opened(tmp_path, "a 100, b 100, c 100", "a 100, b 100, c 150", monkeypatch)
    assert judged(suite)["c"] == "slower"
    assert gate.status_of(suite) == 1
    suite.controls[0].comparison = next(one.comparison for one in suite.pairs if one.name == "c")
    assert gate.status_of(suite) == 4
    whole = ET.fromstring(gate.junit(suite))  # noqa: S314 - our own
    assert (whole.get("failures"), whole.get("skipped")) == ("0", "1")
    assert "unfit" in gate.markdown(suite)


def test_what_time_does_not_reach_is_said_not_to_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = opened(tmp_path, "a 100", "a 100", monkeypatch)
    screen_all(suite, 0, random.Random(1), Silent(), lambda _: None)  # noqa: S311
    assert suite.counts == {"not reached": 1}
