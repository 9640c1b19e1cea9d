"""Which runs of a reproduction end when their claims are decided, and what is decided."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from claiming import make_claim
from silent import Silent

from perflab.claims.reproduce import Reproduction, Settings, plan_topics, reproduce
from perflab.claims.verdict import Verdict, judge_ledger
from perflab.host.machine import Load, LoadWatch
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
  - {id: quick, kind: bound, statement: A sum is quick., candidate: plain, scenario: sum, params: {size: 2},
     at_most: 1000000000}
  - {id: far, kind: absolute, statement: 0.1 ms., published: {value: 100000, unit: ns}, candidate: plain, scenario: sum,
     params: {size: 2}}
  - {id: open, kind: bound, statement: A sum is quick., candidate: plain, scenario: sum, params: {size: 3},
     at_most: 1000000000}
  - {id: quick-at-start, kind: bound, statement: A sum is quick., candidate: plain, scenario: sum, params: {size: 4},
     at_most: 1000000000}
  - {id: grows, kind: scaling, statement: It grows., candidate: plain, scenario: sum, parameter: size, start: 4,
     stop: 5, at_most: 20}
  - {id: only, kind: absolute, statement: 0.1 ms, published: {value: 100000, unit: ns}, candidate: plain, scenario: sum,
     params: {size: 6}}
"""


@pytest.fixture
def lab(own_lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    short = {"warmup_ms": 1, "sample_ms": 1, "samples": 1, "pilot": 0.0, "max_rounds": 9, "half_width": 1e-9}
    monkeypatch.setitem(PRESETS, "quick", msgspec.structs.replace(PRESETS["quick"], budget_s=600, **short))
    claims = tmp_path / "claims"
    claims.mkdir()
    (claims / "toys.yaml").write_text(dedent(CLAIMS))

    def judged(*of: Any) -> list[Verdict]:  # noqa: ANN401 - those of `judge_ledger`
        undecided = {"word": "direction only", "size_undecided": True}
        return [replace(one, **undecided) if one.claim.id == "open" else one for one in judge_ledger(*of)]

    monkeypatch.setattr("perflab.claims.reproduce.judge_ledger", judged)
    monkeypatch.setattr(LoadWatch, "so_far", lambda _: Load(0.0, 0.0))
    return replace(own_lab, claims=claims)


@pytest.mark.parametrize("watched", [False, True])
def test_a_run_ends_early_only_if_that_decides_all_that_rests_on_it(lab: Lab, *, watched: bool) -> None:
    result = Reproduction.start(lab, Settings(["toy"], "quick"))
    seen: list[str] = []
    told = (lambda _, verdict: seen.append(verdict.claim.id)) if watched else None
    reproduce(result, plan_topics(lab, result.settings, print), Silent(), lambda *_: None, on_round=told)
    runs = find_runs(lab.results)
    ended = {run.header.params.get("size", "4 and 5"): (run.ending.reason, run.header.sequential) for run in runs}  # type: ignore[union-attr]
    assert len(runs) == len(ended)
    assert ended == {
        2: ("decided", 6),
        3: ("rounds", 6),  # its claim stays open
        4: ("decided", 6),
        "4 and 5": ("decided", 6),
        6: ("rounds", 6),  # no round decides another machine's figure
    }
    assert not watched or {"quick", "far", "open", "only"} <= set(seen)


@pytest.mark.parametrize("headlines", [True, False])
def test_what_is_undecided_gets_the_time_that_there_is(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, *, headlines: bool
) -> None:
    monkeypatch.setitem(PRESETS, "quick", msgspec.structs.replace(PRESETS["quick"], budget_s=2))
    result = Reproduction.start(lab, Settings(["toy"], "quick", headlines=headlines, minutes=10))
    reproduce(result, plan_topics(lab, result.settings, print), Silent(), lambda *_: None)
    budgets = {run.header.params.get("size"): run.header.options["budget_s"] for run in find_runs(lab.results)}
    assert len(find_runs(lab.results)) == len(budgets) == 5
    assert (budgets[3], budgets[6]) == (20, 2), "no time decides another machine's figure"


@pytest.mark.parametrize(
    ("word", "size_undecided", "stands"),
    [
        ("reproduced", False, "decided"),
        ("refuted", False, "decided"),
        ("void", False, "decided"),
        ("direction only", False, "decided"),
        ("direction only", True, "open"),
        ("overstated", False, "open"),
        ("undecided", False, "open"),
        ("untestable here", False, "out of reach"),
        ("not run", False, "out of reach"),
    ],
)
def test_what_more_rounds_can_do(word: str, size_undecided: bool, stands: str) -> None:
    verdict = Verdict(make_claim("ratio", "x"), word, "", size_undecided=size_undecided)  # type: ignore[arg-type]
    assert verdict.progress == stands
