"""Rankings: the candidate against whoever comes closest, in a run or by score; what is void is behind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import pytest
from claiming import make_claim
from runs import HEADER, write_run

from perflab.claims.evidence import Evidence, RunFigures, lead_by_score
from perflab.claims.ledger import Claim, Published
from perflab.claims.standings import MetricRounds, composite_of
from perflab.claims.verdict import judge
from perflab.model.estimate import Estimate
from perflab.store.records import Arm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from perflab.store.runs import Run


def headlines(runs: Mapping[str, Run]) -> dict[str, MetricRounds]:
    return {name: MetricRounds.of(run, run.header.scenario.headline) for name, run in runs.items()}


NOISE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.0)


def run(
    folder: Path,
    levels: Mapping[str, float],
    name: str = "run",
    failures: Mapping[str, str] | None = None,
    void: Sequence[str] = (),
) -> Run:
    """Six rounds of nanoseconds around each level; lower is better."""
    values = {label: [level * noise for noise in NOISE] for label, level in levels.items()}
    header = msgspec.structs.replace(HEADER, arms=[Arm(label, label, "peer") for label in levels])
    return write_run(folder, name=name, header=header, values=values, failures=failures, void=void, rounds=6)


def standing(found: Evidence | None) -> tuple[str, float, float, float]:
    """The rival, and by what factor or how many points the candidate leads, with its interval."""
    assert found
    assert found.estimate
    assert found.estimate.interval
    return found.rival, found.estimate.value, *found.estimate.interval


def test_the_rival_is_whoever_is_ahead_of_all_others(results: Path) -> None:
    made = RunFigures(run(results, {"a": 100, "b": 150, "c": 80}))
    rival, value, _, high = standing(made.lead("a", ["b", "c"], None))
    assert (rival, value) == ("c", pytest.approx(0.8))
    assert high < 1


def test_behind_the_first_the_next_one_is_the_rival(results: Path) -> None:
    made = RunFigures(run(results, {"a": 50, "b": 150, "c": 80}))
    rival, value, low, high = standing(made.lead("a", ["b", "c"], None))
    assert (rival, value) == ("c", pytest.approx(1.6))
    assert 1 < low <= high


def test_a_rival_that_could_be_ahead_counts_although_another_seems_closer(results: Path) -> None:
    """The steady one is a tenth behind for sure, the noisy one a sixth, maybe."""
    noisy = [118 * noise for noise in (1.0, 1.6, 0.6, 1.4, 0.7, 1.1)]
    values = {"a": [100 * noise for noise in NOISE], "steady": [110 * noise for noise in NOISE], "noisy": noisy}
    header = msgspec.structs.replace(HEADER, arms=[Arm(label, label, "peer") for label in values])
    made = RunFigures(write_run(results, header=header, values=values, rounds=6))
    _, _, low, _ = standing(made.lead("a", ["steady"], None))
    assert low > 1
    rival, _, low, high = standing(made.lead("a", ["steady", "noisy"], None))
    assert rival == "steady"
    assert low < 1 < high


def test_what_is_void_is_no_rival_and_has_no_lead(results: Path) -> None:
    made = RunFigures(run(results, {"a": 100, "b": 150, "c": 10}, failures={"c": "too much"}, void=["c"]))
    assert standing(made.lead("a", ["b", "c"], None))[0] == "b"
    assert made.lead("c", ["a", "b"], None) is None
    assert made.lead("a", ["c"], None) is None


def test_only_those_who_are_ranked_count_for_the_score(results: Path) -> None:
    # d is far ahead in both and nobody's business.
    runs = {
        "one": run(results, {"a": 100, "b": 200, "d": 1}, "one"),
        "two": run(results, {"a": 100, "b": 50, "d": 1}, "two"),
    }
    composite = composite_of(headlines(runs), ["a", "b"])
    assert composite.estimate("a", "mean").value == pytest.approx(0.75)
    lead = lead_by_score(composite, "a", "mean")
    assert standing(lead)[:2] == ("b", pytest.approx(0))
    assert lead
    assert lead.estimate
    assert (lead.estimate.is_factor, lead.estimate.unit) == (False, "points")


def test_a_void_rival_has_a_score_of_zero_there(results: Path) -> None:
    runs = {
        "one": run(results, {"a": 100, "b": 50}, "one"),
        "two": run(results, {"a": 100, "b": 50}, "two", {"b": "too much"}, ["b"]),
    }
    lead = lead_by_score(composite_of(headlines(runs), ["a", "b"]), "a", "worst")
    assert standing(lead)[1] == pytest.approx(50)


def ranking(**more: object) -> Claim:
    return make_claim("order", "c", candidate="a", over=["b", "c"], **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "word"), [(1.1, 1.5, "reproduced"), (0.5, 0.9, "refuted"), (0.9, 1.2, "undecided")]
)
def test_a_ranking_or_a_bound_over_several_stands_or_falls_with_its_closest_rival(
    low: float, high: float, word: str
) -> None:
    level = make_claim("bound", "c", candidate="a", over=["b", "c"], scenario="one", at_least=0.95)
    found = Evidence(Estimate(math.sqrt(low * high), low, high, "x"), runs=["r"], origin="local", rival="c")
    for claim, says in ((ranking(scenario="one"), "a against c"), (level, "against c: takes ")):
        verdict = judge(claim, found)
        assert verdict.word == word
        assert says in verdict.reason


def test_points_are_told_as_points() -> None:
    found = Evidence(Estimate(3.0, 1.0, 5.0, "points", signed=True), runs=["r"], origin="local", rival="b")
    verdict = judge(ranking(score="mean"), found)
    assert verdict.word == "reproduced"
    assert "+3.00 [+1.00, +5.00] points" in verdict.reason


@pytest.mark.parametrize(
    ("measured", "word"),
    [((60.0, 55.0, 65.0), "reproduced"), ((30.0, 25.0, 35.0), "refuted"), ((45.0, 20.0, 70.0), "undecided")],
)
def test_a_published_score_is_compared_as_a_share_is(measured: tuple[float, float, float], word: str) -> None:
    claim = make_claim(
        "score",
        "c",
        candidate="a",
        over=["b"],
        score="worst",
        published=Published(value=64, unit="%"),
    )
    found = Evidence(Estimate(*measured, "%"), runs=["r"], origin="local")
    assert judge(claim, found).word == word
