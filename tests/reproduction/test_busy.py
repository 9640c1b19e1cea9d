"""A reproduction beside other work: what this disturbed is measured once more, and judged by that."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING

import msgspec
import pytest
from silent import Silent

from perflab.claims.reproduce import Reproduction, Settings, plan_topics, reproduce
from perflab.host.machine import OTHERS_LIMIT, Load, LoadWatch
from perflab.measure.presets import PRESETS
from perflab.store.runs import find_runs

if TYPE_CHECKING:
    from pathlib import Path

    from perflab.model.lab import Lab

CLAIMS = """
report: toys
title: Sums
component: toy
claims:
  - {id: first, kind: bound, statement: A sum is quick., candidate: plain, scenario: sum, params: {size: 2},
     at_most: 1000000000}
  - {id: later, kind: bound, statement: A sum is quick., candidate: plain, scenario: sum, params: {size: 3},
     at_most: 1000000000}
  - {id: far, kind: absolute, statement: 0.1 ms, published: {value: 100000, unit: ns}, candidate: plain, scenario: sum,
     params: {size: 4}}
"""
BUSY, QUIET = Load(0.0, 0.0, others=0.5), Load(0.0, 0.0, others=OTHERS_LIMIT)


class Told(Silent):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture
def lab(own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    short = {"warmup_ms": 1, "sample_ms": 1, "samples": 1, "pilot": 0.0, "max_rounds": 9, "half_width": 1e-9}
    monkeypatch.setitem(PRESETS, "quick", msgspec.structs.replace(PRESETS["quick"], budget_s=600, **short))
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "toys.yaml").write_text(dedent(CLAIMS))
    return replace(own_lab, claims=tmp_path / "claims")


@pytest.fixture
def loads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[Load]:
    """The loads of the runs to come; the last one stays."""
    found: list[Load] = [*request.param]

    class Watch(LoadWatch):
        def __init__(self) -> None:
            super().__init__()
            self.seen = found.pop(0) if len(found) > 1 else found[0]

        def wait(self, *_: object) -> None:
            pass

        def so_far(self) -> Load:
            return self.seen

    monkeypatch.setattr("perflab.measure.measure.LoadWatch", Watch)
    return found


@pytest.mark.usefixtures("loads")
@pytest.mark.parametrize(
    ("loads", "minutes", "sizes", "words"),
    [
        ([QUIET], None, [2, 3, 4], ["reproduced", "reproduced"]),
        ([BUSY, QUIET], None, [2, 3, 4, 2], ["undecided", "reproduced", "reproduced"]),
        ([BUSY, QUIET], 60, [2, 3, 4, 2], ["undecided", "reproduced", "reproduced"]),
        ([BUSY, QUIET], 1e-9, [2, 3, 4], ["undecided", "reproduced"]),
        ([BUSY], None, [2, 3, 4, 2, 3], ["undecided"] * 4),
    ],
    indirect=["loads"],
    ids=["quiet", "busy at first", "and with a limit", "and no time is left", "busy all the time"],
)
def test_what_other_work_disturbed_is_measured_once_more_at_the_end(
    lab: Lab, minutes: float | None, sizes: list[int], words: list[str]
) -> None:
    result, told, said = Reproduction.start(lab, Settings(["toy"], "quick", minutes=minutes)), Told(), []
    reproduce(
        result,
        plan_topics(lab, result.settings, print),
        told,
        lambda _, verdict: said.append((verdict.claim.id, verdict.word)),
    )
    made = sorted(find_runs(lab.results), key=lambda run: run.folder.stat().st_mtime_ns)
    assert [run.header.params["size"] for run in made] == sizes
    assert [word for name, word in said if name != "far"] == words
    assert {run.ending.reason for run in made if run.ending and run.header.params["size"] != 4} <= {"decided", "budget"}
    again = [note for note in told.notes if "measured again" in note]
    assert len(again) == len(sizes) - 3
    assert all("toy sum is measured again: other processes took 50%" in note for note in again)
