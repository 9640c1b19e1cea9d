"""The rules from evidence to verdict, at their edges."""

from __future__ import annotations

import pytest

from perflab.judge.evidence import Evidence
from perflab.judge.ledger import Claim, Published
from perflab.judge.verdict import judge
from perflab.model.estimate import Estimate


def claim(kind: str, **more: object) -> Claim:
    return Claim(id="c", kind=kind, statement="s", **more)  # type: ignore[arg-type]


def evidence(
    estimate: float, low: float, high: float, unit: str = "x", *, signed: bool = False, **more: object
) -> Evidence:
    equal = low > 0.95 and high < 1.05
    found = Estimate(estimate, low, high, unit, signed)
    return Evidence(found, equal, runs=["r"], origin="local", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        ((2.5, 2.2, 2.8), "reproduced"),
        ((2.0, 1.6, 2.4), "reproduced"),  # within the tolerance of 25 %
        ((1.5, 1.2, 1.8), "direction only"),
        ((6.0, 5.0, 7.0), "direction only"),  # better still, but another factor
        ((1.5, 0.9, 2.5), "not reproduced"),
        ((1.1, 0.9, 1.3), "refuted"),  # nobody knows whether it is better, but not by the published factor
        ((2.5, 0.9, 6.0), "not reproduced"),  # the right figure, but the interval holds 1
        ((1.0, 0.98, 1.02), "refuted"),
        ((0.8, 0.7, 0.9), "refuted"),
    ],
)
def test_a_ratio(measured: tuple[float, float, float], word: str) -> None:
    verdict = judge(claim("ratio", published=Published(value=2.5, unit="x")), evidence(*measured))
    assert verdict.word == word
    assert verdict.evidence.estimate == Estimate(*measured, unit="x")
    assert verdict.to_dict()["interval"] == list(measured[1:])
    assert verdict.evidence.runs == ["r"]


@pytest.mark.parametrize(
    ("measured", "word"),
    [((2.4, 2.2, 2.6), "reproduced"), ((3.7, 3.5, 3.9), "reproduced"), ((4.0, 3.9, 4.1), "direction only")],
)
def test_a_ratio_published_as_a_range(measured: tuple[float, float, float], word: str) -> None:
    assert judge(claim("ratio", published=Published(low=2, high=3)), evidence(*measured)).word == word


@pytest.mark.parametrize(
    ("measured", "word"),
    [((0.5, 0.4, 0.6), "reproduced"), ((0.9, 0.8, 0.97), "direction only"), ((1.5, 1.2, 1.8), "refuted")],
)
def test_a_published_slowdown_is_a_ratio_below_one(measured: tuple[float, float, float], word: str) -> None:
    assert judge(claim("ratio", published=Published(value=0.5)), evidence(*measured)).word == word


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        ((1.2, 1.01, 1.4), "reproduced"),
        ((1.2, 0.99, 1.4), "not reproduced"),
        ((1.0, 0.97, 1.03), "refuted"),
        ((0.8, 0.7, 0.99), "refuted"),
    ],
)
def test_an_order(measured: tuple[float, float, float], word: str) -> None:
    assert judge(claim("order", baseline="a", candidate="b"), evidence(*measured)).word == word


def test_an_order_of_counts_that_may_be_zero_compares_differences() -> None:
    assert judge(claim("order"), evidence(3.0, 1.0, 5.0, "bytes", signed=True)).word == "reproduced"
    assert judge(claim("order"), evidence(0.0, 0.0, 0.0, "bytes", signed=True)).word == "not reproduced"


@pytest.mark.parametrize(
    ("bound", "word"),
    [
        ({"at_most": 2.0}, "reproduced"),
        ({"at_most": 1.0}, "not reproduced"),
        ({"at_most": 0.5}, "refuted"),
        ({"at_least": 0.5}, "reproduced"),
        ({"at_least": 1.0}, "not reproduced"),
        ({"at_least": 2.0}, "refuted"),
    ],
)
def test_a_bound(bound: dict[str, float], word: str) -> None:
    assert judge(claim("bound", **bound), evidence(1.0, 0.9, 1.1)).word == word


@pytest.mark.parametrize(("measured", "word"), [((1.5, 1.2, 1.9), "reproduced"), ((3.0, 2.5, 3.5), "refuted")])
def test_a_bound_over_a_baseline_is_one_of_the_factor(measured: tuple[float, float, float], word: str) -> None:
    verdict = judge(claim("bound", baseline="a", candidate="b", at_most=2.0), evidence(*measured, unit="x"))
    assert verdict.word == word
    assert verdict.published == "at most 2x"
    assert verdict.reason.endswith("], claimed at most 2x")


def test_a_bound_of_a_factor_says_nothing_of_a_difference() -> None:
    compared = evidence(12.0, 11.0, 13.0, "bytes", signed=True)
    verdict = judge(claim("bound", baseline="a", at_least=2.0), compared)
    assert verdict.word == "not reproduced"
    assert verdict.reason.startswith("+12.0 [+11.0, +13.0] B: a value is zero or below")


@pytest.mark.parametrize(
    ("measured", "word"),
    [((41.0, 38.0, 44.0), "reproduced"), ((12.0, 2.0, 38.0), "not reproduced"), ((2.0, 1.0, 3.0), "refuted")],
)
def test_a_share(measured: tuple[float, float, float], word: str) -> None:
    assert judge(claim("share", published=Published(value=40, unit="%")), evidence(*measured)).word == word


@pytest.mark.parametrize(
    ("kind", "measured", "word"),
    [
        ("scaling", (1.9, 1.6, 2.2), "reproduced"),
        ("scaling", (1.9, 1.4, 2.4), "not reproduced"),
        ("scaling", (1.0, 0.9, 1.1), "refuted"),
        ("share", (70.0, 65.0, 75.0), "reproduced"),
        ("share", (1.0, 0.5, 1.4), "refuted"),
    ],
)
def test_a_scaling_or_a_share_with_a_bound_is_judged_by_that(
    kind: str, measured: tuple[float, float, float], word: str
) -> None:
    bounded = claim(kind, at_least=1.5, published=Published(value=1.0))
    assert judge(bounded, evidence(*measured)).word == word


@pytest.mark.parametrize(
    ("passed", "shows", "word"),
    [
        (True, "refuted", "refuted"),
        (True, "reproduced", "reproduced"),
        (False, "refuted", "not reproduced"),
        (False, "reproduced", "not reproduced"),
        (None, "refuted", "not run"),
    ],
)
def test_a_mechanism_is_what_its_test_shows(passed: bool | None, shows: str, word: str) -> None:
    verdict = judge(claim("mechanism", test="T#m", shows=shows), Evidence(passed=passed))
    assert verdict.word == word
    assert "T#m" in verdict.reason


def test_another_machines_figure_is_for_scale_only() -> None:
    verdict = judge(
        claim("absolute", published=Published(value=100, unit="ns")), evidence(90.0, 80.0, 100.0, unit="ns")
    )
    assert verdict.word == "untestable here"
    assert verdict.evidence.estimate is not None
    assert verdict.evidence.estimate.value == 90.0
    assert verdict.to_dict()["measured"] == 90.0
    assert verdict.to_dict()["shown"] == "90.0 [80.0, 100] ns"


def test_without_evidence_nothing_is_said() -> None:
    assert judge(claim("ratio", published=Published(value=2)), Evidence()).word == "not run"


def test_what_cannot_be_had_here_is_named() -> None:
    verdict = judge(claim("ratio", missing="a second host"), Evidence())
    assert (verdict.word, verdict.reason) == ("untestable here", "it would need a second host")


def test_an_expected_mechanism_falls_short_if_its_test_fails() -> None:
    assert judge(claim("mechanism", test="T#m", expected=True), Evidence(passed=False)).short
    assert not judge(claim("mechanism", test="T#m", expected=True), Evidence(passed=True)).short


def test_only_an_expected_claim_that_is_refuted_falls_short() -> None:
    up = evidence(0.5, 0.4, 0.6)
    assert judge(claim("order", expected=True), up).short
    assert not judge(claim("order"), up).short
    assert not judge(claim("order", expected=True), evidence(1.0, 0.5, 2.0)).short
