"""The rules from evidence to verdict, at their edges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from claiming import make_claim
from hypothesis import given, settings
from hypothesis import strategies as st

from perflab.claims.evidence import Evidence
from perflab.claims.ledger import KINDS, Claim, Needs, Published, Untestable
from perflab.claims.verdict import Verdict, VerdictWord, earned, expected_wrong, judge
from perflab.model.estimate import Estimate
from perflab.stats.comparison import compare

if TYPE_CHECKING:
    from collections.abc import Sequence

Measured = tuple[float, float, float]


def claim(kind: str, **more: object) -> Claim:
    return cast("Claim", make_claim(kind, **more))


def evidence(
    estimate: float, low: float, high: float, unit: str = "x", *, signed: bool = False, **more: object
) -> Evidence:
    found = Estimate(estimate, low, high, unit, signed)
    return Evidence(found, runs=["r"], origin="local", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "unit", "word"),
    [
        (0.0, 1e-7, "allocs/op", "reproduced"),
        (0.0, 0.02, "allocs/op", "undecided"),
        (0.9, 1.1, "allocs/op", "refuted"),
        (0.0, 0.1, "B/op", "reproduced"),
        (23.9, 24.1, "B/op", "refuted"),
        (1e-7, 1e-6, "ns/op", "refuted"),
    ],
)
def test_none_of_a_count_is_fewer_than_one_in_a_hundred(low: float, high: float, unit: str, word: str) -> None:
    verdict = judge(claim("bound", at_most=0.0), evidence((low + high) / 2, low, high, unit))
    assert verdict.word == word
    assert ("claimed none, which is at most" in verdict.reason) == (unit != "ns/op")


@pytest.mark.parametrize(
    ("measured", "word", "why"),
    [
        ((2.5, 2.2, 2.8), "reproduced", ""),  # the band is 1.99 to 3.14
        ((2.0, 1.6, 2.4), "direction only", "its size is undecided"),
        ((1.5, 1.2, 1.8), "direction only", "its size is outside 1.99x to 3.14x"),
        ((6.0, 5.0, 7.0), "direction only", "its size is outside 1.99x to 3.14x"),
        ((2.5, 1.1, 6.0), "direction only", "its size is undecided"),
        ((1.5, 1.02, 1.9), "overstated", "its size is outside 1.99x to 3.14x, its direction undecided"),
        ((1.1, 0.9, 1.3), "overstated", "its size is outside 1.99x to 3.14x, its direction undecided"),
        ((1.5, 0.9, 2.5), "undecided", "too noisy to tell"),
        ((1.0, 0.98, 1.02), "refuted", "there is no such difference"),
        ((0.9, 0.8, 1.04), "refuted", "there is no such difference"),
        ((1.03, 1.02, 1.04), "refuted", "there is no such difference"),
        ((0.8, 0.7, 0.9), "refuted", "it goes the other way"),
    ],
)
def test_a_ratio(measured: Measured, word: str, why: str) -> None:
    verdict = judge(claim("ratio", published=Published(value=2.5, unit="x")), evidence(*measured))
    assert (verdict.word, verdict.reason.partition("]")[2].removeprefix(": ")) == (word, why)
    assert verdict.size_undecided == (why == "its size is undecided")
    assert verdict.evidence.estimate == Estimate(*measured, unit="x")
    assert verdict.to_dict()["interval"] == list(measured[1:])
    assert verdict.evidence.runs == ["r"]


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        ((0.5, 0.43, 0.59), "reproduced"),
        ((0.8, 0.7, 0.9), "direction only"),
        ((0.2, 0.1, 0.3), "direction only"),
        ((0.9, 0.7, 1.1), "overstated"),
        ((0.7, 0.4, 1.1), "undecided"),
        ((1.5, 1.2, 1.8), "refuted"),
    ],
)
def test_a_published_slowdown_is_a_ratio_below_one(measured: Measured, word: str) -> None:
    verdict = judge(claim("ratio", published=Published(value=0.5)), evidence(*measured))
    assert verdict.word == word
    assert ("outside 0.59x to 0.42x" in verdict.reason) == (word in {"direction only", "overstated"})


def test_a_published_factor_within_the_margin_can_be_reproduced_and_refuted() -> None:
    small = claim("ratio", published=Published(value=1.06))  # the band is 1.045 to 1.076
    assert judge(small, evidence(1.047, 1.046, 1.048)).word == "reproduced"
    assert judge(small, evidence(1.047, 1.03, 1.049)).word == "undecided"
    assert judge(small, evidence(1.02, 1.0, 1.04)).word == "refuted"


def test_a_ratio_says_nothing_of_a_difference() -> None:
    compared = evidence(12.0, 11.0, 13.0, "bytes", signed=True)
    assert judge(claim("ratio", published=Published(value=2)), compared).word == "undecided"


SHARES = [
    ((41.0, 31.0, 49.0), "reproduced"),
    ((41.0, 29.0, 49.0), "undecided"),
    ((12.0, 2.0, 38.0), "undecided"),
    ((2.0, 1.0, 3.0), "refuted"),
    ((60.0, 55.0, 65.0), "refuted"),
]
JUDGED: list[tuple[Claim, str, list[tuple[Measured, str]]]] = [
    # A published range has a band around both ends.
    (
        claim("ratio", published=Published(low=2, high=3)),
        "x",
        [((2.4, 2.0, 3.0), "reproduced"), ((2.6, 1.7, 3.9), "reproduced"), ((5.0, 4.0, 6.0), "direction only")],
    ),
    (
        claim("order", baseline="a", candidate="b"),
        "x",
        [
            ((1.2, 1.06, 1.4), "reproduced"),
            ((1.2, 1.01, 1.4), "undecided"),
            ((1.0, 0.97, 1.03), "refuted"),
            ((1.03, 1.02, 1.04), "refuted"),
            ((0.8, 0.7, 0.99), "refuted"),
            ((1.0, 0.8, 1.2), "undecided"),
        ],
    ),
    # Of counts that may be zero the differences are compared.
    (
        claim("order"),
        "bytes",
        [((3.0, 1.0, 5.0), "reproduced"), ((0.0, 0.0, 0.0), "refuted"), ((1.0, -1.0, 3.0), "undecided")],
    ),
    (claim("share", published=Published(value=40, unit="%")), "%", SHARES),
    (claim("score", published=Published(value=40, unit="%")), "%", SHARES),
    # A scaling with a published factor is judged like a ratio.
    (
        claim("scaling", published=Published(value=2.0)),
        "x",
        [((1.9, 1.7, 2.2), "reproduced"), ((1.9, 1.2, 2.4), "direction only"), ((1.0, 0.97, 1.03), "refuted")],
    ),
    # Another machine's figure is for scale, but for its order of magnitude, and in another unit for scale only.
    (
        claim("absolute", published=Published(low=0.1, high=0.2, unit="us")),
        "ns/op",
        [
            ((90.0, 80.0, 100.0), "untestable here"),
            ((11.0, 9.0, 13.0), "untestable here"),
            ((9.0, 8.0, 9.9), "refuted"),
            ((3000.0, 2500.0, 3500.0), "refuted"),
        ],
    ),
    (
        claim("absolute", published=Published(value=10, unit="messages")),
        "ns/op",
        [((1.0, 0.9, 1.1), "untestable here")],
    ),
    # A fidelity is within a factor of the original.
    (
        claim("fidelity", candidate="b", published=Published(low=1.6, high=1.7, unit="us")),
        "ns/restart",
        [
            ((2000.0, 1500.0, 2500.0), "reproduced"),
            ((800.0, 700.0, 900.0), "undecided"),
            ((440.0, 400.0, 480.0), "refuted"),
            ((9000.0, 8000.0, 10000.0), "refuted"),
        ],
    ),
]


@pytest.mark.parametrize(
    ("judging", "unit", "measured", "word"),
    [(judging, unit, *case) for judging, unit, cases in JUDGED for case in cases],
)
def test_an_interval_is_judged_by_the_kind_of_claim(judging: Claim, unit: str, measured: Measured, word: str) -> None:
    verdict = judge(judging, evidence(*measured, unit, signed=unit == "bytes"))
    assert verdict.word == word
    assert verdict.to_dict()["measured"] == measured[0]


@pytest.mark.parametrize(
    ("bound", "word"),
    [
        ({"at_most": 2.0}, "reproduced"),
        ({"at_most": 1.0}, "undecided"),
        ({"at_most": 0.5}, "refuted"),
        ({"at_least": 0.5}, "reproduced"),
        ({"at_least": 1.0}, "undecided"),
        ({"at_least": 2.0}, "refuted"),
        ({"at_least": 0.5, "at_most": 2.0}, "reproduced"),
        ({"at_least": 1.0, "at_most": 2.0}, "undecided"),
        ({"at_least": 0.95, "at_most": 1.05}, "undecided"),
        ({"at_least": 1.5, "at_most": 2.0}, "refuted"),
        ({"at_least": 0.2, "at_most": 0.5}, "refuted"),
    ],
)
@pytest.mark.parametrize("kind", ["bound", "scaling", "share"])
def test_bounds(kind: str, bound: dict[str, float], word: str) -> None:
    assert judge(claim(kind, published=Published(value=7), **bound), evidence(1.0, 0.9, 1.1)).word == word


@pytest.mark.parametrize(
    ("bound", "published", "reason"),
    [
        ({"at_most": 2.0}, "at most 2x", "1.50x [1.20, 1.90], claimed at most 2x"),
        ({"at_least": 1.0, "at_most": 2.0}, "1x to 2x", "1.50x [1.20, 1.90], claimed 1x to 2x"),
        # Not "1.50x, claimed at least 0.8x".
        ({"at_least": 0.8}, "at least 0.8x", "takes 0.67x [0.53, 0.83] as much, claimed at most 1.25x"),
        ({"at_most": 0.5}, "at most 0.5x", "takes 0.67x [0.53, 0.83] as much, claimed at least 2x"),
        ({"at_least": 0.5, "at_most": 0.8}, "0.5x to 0.8x", "takes 0.67x [0.53, 0.83] as much, claimed 1.25x to 2x"),
    ],
)
def test_a_bound_of_a_factor_is_said_as_an_author_would(bound: dict[str, float], published: str, reason: str) -> None:
    verdict = judge(claim("bound", baseline="a", candidate="b", **bound), evidence(1.5, 1.2, 1.9))
    assert (verdict.published, verdict.reason) == (published, reason)


def test_a_bound_of_a_factor_says_nothing_of_a_difference() -> None:
    compared = evidence(12.0, 11.0, 13.0, "bytes", signed=True)
    verdict = judge(claim("bound", baseline="a", at_least=2.0), compared)
    assert verdict.word == "undecided"
    assert verdict.reason.startswith("+12.0 [+11.0, +13.0] B: a value is zero or below")


def test_a_fidelity_over_a_baseline_is_one_of_the_factor() -> None:
    faithful = claim("fidelity", baseline="a", candidate="b", published=Published(value=3, unit="x"))
    assert judge(faithful, evidence(4.0, 3.0, 5.0)).word == "reproduced"
    assert judge(faithful, evidence(1.2, 1.1, 1.3)).word == "refuted"
    assert judge(faithful, evidence(4.0, 3.0, 5.0, "bytes", signed=True)).word == "undecided"


def vouching(candidate: str, scenario: str = "here", rebuilds: list[str] | None = None) -> Claim:
    return make_claim("fidelity", "unlike", candidate=candidate, scenario=scenario, rebuilds=rebuilds or [])


@pytest.mark.parametrize("word", ["reproduced", "direction only", "overstated", "refuted", "undecided"])
def test_a_rebuild_that_is_not_faithful_refutes_nothing_of_the_report(word: VerdictWord) -> None:
    compared = claim("ratio", baseline="before", candidate="after", scenario="here")
    verdict = Verdict(compared, word, "why", Evidence(runs=["r"]))
    changed = earned(verdict, [vouching("before")])
    if word in {"overstated", "refuted"}:
        assert changed.word == "untestable here"
        assert changed.reason == "the rebuild before is not faithful: unlike; why"
    else:
        assert changed == verdict
    assert earned(verdict, [vouching("another")]) == verdict


def test_a_rebuild_is_faithful_scenario_by_scenario_unless_more_is_vouched_for() -> None:
    verdict = Verdict(claim("order", baseline="before", candidate="after", scenario="there"), "refuted", "why")
    assert earned(verdict, [vouching("before")]) == verdict
    assert earned(verdict, [vouching("other", rebuilds=["before"])]).word == "untestable here"
    of_all = Verdict(claim("score", candidate="before"), "refuted", "why")
    assert earned(of_all, [vouching("before")]).word == "untestable here"


def test_what_is_ours_needs_no_faithful_rebuild() -> None:
    ours = claim("order", baseline="before", candidate="lab", scenario="here", ours=True)
    verdict = Verdict(ours, "refuted", "why")
    assert earned(verdict, [vouching("before")]) == verdict


@pytest.mark.parametrize(
    ("passed", "shows", "word"),
    [
        (True, "refuted", "refuted"),
        (True, "reproduced", "reproduced"),
        (False, "refuted", "undecided"),
        (False, "reproduced", "undecided"),
        (None, "refuted", "not run"),
    ],
)
def test_a_mechanism_is_what_its_test_shows(passed: bool | None, shows: str, word: str) -> None:
    verdict = judge(claim("mechanism", test="T#m", shows=shows), Evidence(passed=passed))
    assert verdict.word == word
    assert "T#m" in verdict.reason


ESTIMATED = ["ratio", "order", "scaling", "share", "score", "absolute", "fidelity"]


@pytest.mark.parametrize("kind", ESTIMATED)
def test_without_an_interval_nothing_is_certain(kind: str) -> None:
    found = Evidence(Estimate(2.0, unit="x"))
    word = judge(claim(kind, published=Published(value=2, unit="x")), found).word
    assert word == ("untestable here" if kind == "absolute" else "undecided")


def test_without_evidence_nothing_is_said() -> None:
    assert judge(claim("ratio", published=Published(value=2)), Evidence()).word == "not run"


def test_what_cannot_be_had_here_is_named() -> None:
    verdict = judge(Untestable(kind="ratio", id="c", statement="s", missing="a second host"), Evidence())
    assert (verdict.word, verdict.reason) == ("untestable here", "it would need a second host")


@pytest.mark.parametrize(("cores", "word"), [(2, "untestable here"), (4, "reproduced")])
def test_a_claim_is_judged_where_there_is_what_it_needs(cores: float, word: str) -> None:
    contended = claim("order", needs=Needs(cores=4))
    verdict = judge(contended, evidence(2.0, 1.8, 2.2, cores=cores))
    assert verdict.word == word
    assert (verdict.reason == "it needs 4 cores") == (word == "untestable here")


def test_an_expected_mechanism_falls_short_if_its_test_fails() -> None:
    assert judge(claim("mechanism", test="T#m", expected=True), Evidence(passed=False)).short
    assert not judge(claim("mechanism", test="T#m", expected=True), Evidence(passed=True)).short


def test_only_an_expected_claim_that_is_refuted_falls_short() -> None:
    up = evidence(0.5, 0.4, 0.6)
    assert judge(claim("order", expected=True), up).short
    assert not judge(claim("order"), up).short
    assert not judge(claim("order", expected=True), evidence(1.0, 0.5, 2.0)).short


def test_chance_is_counted_among_what_an_interval_decides() -> None:
    order = claim("order")
    decided = [judge(order, evidence(2.0, 1.8, 2.2)), judge(order, evidence(0.5, 0.4, 0.6))]
    others = [judge(order, evidence(1.0, 0.5, 2.0)), judge(claim("mechanism", test="T#m"), Evidence(passed=True))]
    chance = expected_wrong([*decided, *others])
    assert (chance.decided, chance.wrong) == (2, pytest.approx(0.1))
    assert str(chance).startswith("Of 2 verdicts")


# How much a word says: a wider interval may only lead down, and from one word of a level never to another one of it.
LEVELS: dict[str, int] = {
    "refuted": 3,
    "reproduced": 3,
    "direction only": 2,
    "overstated": 1,
    "undecided": 0,
    "untestable here": 0,
}

# Most of them near 1, where the regions meet.
factors = st.floats(-1.7, 1.7).map(lambda root: math.exp(root**3))
widths = st.floats(0, 1.4).map(lambda root: root**3)


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    kind = draw(st.sampled_from([*ESTIMATED, "bound"]))
    first, second = sorted([draw(factors), draw(factors)])
    if kind in {"ratio", "scaling"} and (first <= 1 <= second or draw(st.booleans())):
        first = second = second if second != 1 else 2.0
    more: dict[str, object] = {"published": Published(low=first, high=second, unit="x")}
    if kind == "bound" or (kind == "scaling" and draw(st.booleans())):
        ends = draw(st.sampled_from([("at_least",), ("at_most",), ("at_least", "at_most")]))
        more |= dict(zip(ends, (first, second), strict=False))
    more |= {"baseline": "a", "tolerance": draw(st.floats(0, 0.99))}
    return claim(kind, **{name: value for name, value in more.items() if name in KINDS[kind].__struct_fields__})


def never_stronger(narrow: str, wide: str) -> bool:
    return wide == narrow or LEVELS[wide] < LEVELS[narrow]


@settings(max_examples=3000)
@given(claims(), factors, st.tuples(widths, widths), st.tuples(widths, widths))
def test_a_wider_interval_never_gives_a_stronger_word(
    judging: Claim, centre: float, ends: tuple[float, float], wider: tuple[float, float]
) -> None:
    def word(down: float, up: float) -> str:
        return judge(judging, evidence(centre, centre * math.exp(-down), centre * math.exp(up))).word

    narrow, wide = word(*ends), word(ends[0] + wider[0], ends[1] + wider[1])
    assert never_stronger(narrow, wide), f"{narrow}, and with more noise {wide}"


def test_an_interval_that_ends_on_the_edge_of_what_is_claimed_does_not_refute_it() -> None:
    edge = 1.0157477085866857
    exactly = claim("ratio", published=Published(value=edge, unit="x"), tolerance=0.0)
    assert judge(exactly, evidence(edge, edge, edge)).word == "reproduced"
    assert judge(exactly, evidence(edge, edge / math.e, edge)).word == "undecided"


@given(st.floats(-100, 100), st.tuples(widths, widths), st.tuples(widths, widths))
def test_an_order_of_differences_does_not_get_stronger_either(
    centre: float, ends: tuple[float, float], wider: tuple[float, float]
) -> None:
    def word(down: float, up: float) -> str:
        return judge(claim("order"), evidence(centre, centre - down, centre + up, "bytes", signed=True)).word

    assert never_stronger(word(*ends), word(ends[0] + wider[0], ends[1] + wider[1]))


LEVEL, EXPERIMENTS, SHORT, LONG = 0.05, 100, 8, 40
TRUTHS = [1.0, 1.02, 1.04, 1.05, 1.36, 1.66]


def judged(judging: Claim, ratios: Sequence[float]) -> str:
    (compared,) = compare({"a": list(ratios), "b": [1.0] * len(ratios)}, "a", "m", "ns", "lower")
    return judge(judging, Evidence(compared.estimate)).word


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("kind", ["ratio", "order"])
def test_with_more_data_reproduced_and_refuted_change_places_more_rarely_than_the_level(
    kind: str, truth: float
) -> None:
    # Hardest where the truth is where two regions meet, or just beside it; a long run begins with the short one.
    judging = claim(kind, baseline="a", candidate="b", published=Published(value=1.5, unit="x"))
    random = np.random.default_rng(7)
    flipped = 0
    for spread in np.geomspace(0.01, 0.2, EXPERIMENTS):
        ratios = np.exp(random.normal(math.log(truth), spread, LONG))
        flipped += {judged(judging, ratios[:SHORT]), judged(judging, ratios)} == {"reproduced", "refuted"}
    assert flipped / EXPERIMENTS < LEVEL
