"""Comparisons: direction, pairing, verdicts, flags, and what must not change them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflab.model.estimate import Estimate
from perflab.stats import comparison
from perflab.stats.comparison import Comparison, compare, simultaneous_confidence
from perflab.stats.interval import mean_interval

positive = st.floats(1e-3, 1e6).map(lambda x: float(f"{x:.5g}"))
rounds = st.integers(3, 9).flatmap(
    lambda n: st.tuples(st.lists(positive, min_size=n, max_size=n), st.lists(positive, min_size=n, max_size=n))
)
few = settings(max_examples=30)
NAN = math.nan


def one(baseline: list[float], candidate: list[float], better: str = "higher", **options: float) -> Comparison:
    return compare({"old": baseline, "new": candidate}, "old", "m", "u", better, **options)[0]  # type: ignore[arg-type]


def noisy(level: float, spread: float, n: int = 12, seed: int = 0) -> list[float]:
    return list(level * np.exp(np.random.default_rng(seed).normal(0, spread, n)))


@few
@given(rounds)
def test_swapping_inverts_everything(pair: tuple[list[float], list[float]]) -> None:
    there, back = one(*pair), one(pair[1], pair[0])
    assert there.estimate.value == pytest.approx(1 / back.estimate.value)
    assert (there.estimate.low, there.estimate.high) == pytest.approx((1 / back.estimate.high, 1 / back.estimate.low))
    assert there.cliffs_delta == pytest.approx(-back.cliffs_delta)
    assert there.minimum_detectable_effect == pytest.approx(back.minimum_detectable_effect)
    opposite = {"faster": "slower", "slower": "faster"}
    assert there.verdict == opposite.get(back.verdict, back.verdict)


@few
@given(rounds)
def test_lower_is_better_inverts_too(pair: tuple[list[float], list[float]]) -> None:
    higher, lower = one(*pair), one(*pair, better="lower")
    assert higher.estimate.value == pytest.approx(1 / lower.estimate.value)
    assert (higher.estimate.low, higher.estimate.high) == pytest.approx(
        (1 / lower.estimate.high, 1 / lower.estimate.low)
    )
    assert higher.cliffs_delta == -lower.cliffs_delta


@few
@given(rounds, st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(pair: tuple[list[float], list[float]], scale: float) -> None:
    here, there = one(*pair), one([scale * x for x in pair[0]], [scale * x for x in pair[1]])
    assert (there.estimate.value, there.estimate.low, there.estimate.high) == pytest.approx(
        (here.estimate.value, here.estimate.low, here.estimate.high), rel=1e-6
    )


@few
@given(rounds, st.randoms())
def test_the_order_of_rounds_does_not_matter(pair: tuple[list[float], list[float]], random: st.DataObject) -> None:
    order = list(range(len(pair[0])))
    random.shuffle(order)  # type: ignore[attr-defined]
    here, there = one(*pair), one([pair[0][i] for i in order], [pair[1][i] for i in order])
    assert (here.estimate.value, here.estimate.low, here.estimate.high, here.verdict) == (
        there.estimate.value,
        there.estimate.low,
        there.estimate.high,
        there.verdict,
    )


@few
@given(rounds)
def test_the_estimate_lies_inside_the_interval(pair: tuple[list[float], list[float]]) -> None:
    result = one(*pair)
    assert result.estimate.low * (1 - 1e-12) <= result.estimate.value <= result.estimate.high * (1 + 1e-12)


@few
@given(rounds, positive)
def test_drift_that_a_round_shares_cancels(pair: tuple[list[float], list[float]], step: float) -> None:
    shared = [step ** (i / 10) for i in range(len(pair[0]))]
    drifted = one(*([x * s for x, s in zip(side, shared, strict=True)] for side in pair))
    assert (drifted.estimate.low, drifted.estimate.high) == pytest.approx(
        (one(*pair).estimate.low, one(*pair).estimate.high), rel=1e-6
    )


def test_the_estimate_is_the_geometric_mean_of_paired_ratios() -> None:
    assert one([1, 2, 4], [2, 2, 16]).estimate.value == pytest.approx(2.0)
    assert one([2, 2, 16], [1, 2, 4], better="lower").estimate.value == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("factor", "spread", "verdict"),
    [
        (1.3, 0.02, "faster"),
        (0.8, 0.02, "slower"),
        (1.0, 0.01, "no difference"),
        (1.0, 0.30, "inconclusive"),
        (1.04, 0.10, "inconclusive"),
    ],
)
def test_the_verdict_words(factor: float, spread: float, verdict: str) -> None:
    assert one(noisy(1, spread, seed=1), noisy(factor, spread, seed=5)).verdict == verdict


def test_no_difference_needs_the_whole_interval_within_the_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = noisy(1, 0.01, seed=1), noisy(1, 0.01, seed=5)
    result = one(*sides)
    reach = max(result.estimate.high, 1 / result.estimate.low) - 1
    for margin, verdict in ((reach * 1.001, "no difference"), (reach * 0.999, "inconclusive")):
        monkeypatch.setattr(comparison, "EQUIVALENCE", margin)
        assert one(*sides).verdict == verdict


def test_a_real_but_small_difference_keeps_its_verdict_and_is_flagged() -> None:
    result = one(noisy(1, 0.001, seed=1), noisy(1.02, 0.001, seed=2))
    assert result.verdict == "faster"
    assert any(flag.startswith("within margin") for flag in result.flags)


def test_a_missing_fork_drops_its_pair_and_is_flagged() -> None:
    baseline, candidate = noisy(1, 0.02, seed=1), noisy(1.2, 0.02, seed=2)
    kept = one(baseline[:2] + baseline[4:], candidate[:2] + candidate[4:])
    holed = one([*baseline[:2], NAN, *baseline[3:]], [*candidate[:3], NAN, *candidate[4:]])
    assert (holed.estimate.value, holed.estimate.low, holed.estimate.high, holed.rounds) == (
        kept.estimate.value,
        kept.estimate.low,
        kept.estimate.high,
        10,
    )
    assert any(flag.startswith("incomplete: 2 of 12") for flag in holed.flags)
    assert not kept.flags


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_rounds_are_inconclusive_without_numbers_made_up(n: int) -> None:
    result = one([1.0] * n + [NAN], [2.0] * n + [NAN])
    assert result.verdict == "inconclusive"
    assert result.minimum_detectable_effect is None
    assert result.estimate == (Estimate(pytest.approx(2.0), unit="x") if n else None)
    assert any(flag.startswith("too few rounds") for flag in result.flags)


def test_values_of_zero_are_compared_by_difference() -> None:
    result = one([10, 12, 11, 9, 13, 10], [0, 1, 0, 0, 2, 0], better="lower")
    assert (result.scale, result.verdict) == ("difference", "faster")
    assert Comparison.from_dict(result.to_dict()) == result
    assert result.estimate.value == pytest.approx(62 / 6)
    assert result.estimate.low <= result.estimate.value <= result.estimate.high
    assert result.cliffs_delta == 1.0


def test_the_margin_of_differences_is_relative_to_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = [100.0, 101.0, 99.0, 100.5, 99.5, 100.0, 0.0]
    candidate = [100.2, 100.9, 99.1, 100.4, 99.6, 99.8, 0.0]
    assert one(baseline, candidate).verdict == "no difference"
    monkeypatch.setattr(comparison, "EQUIVALENCE", 1e-4)
    assert one(baseline, candidate).verdict == "inconclusive"


def test_equal_and_constant_values() -> None:
    assert one([0.0] * 5, [0.0] * 5).verdict == "no difference"
    # 0.1 * 3 is not 0.3; the last bit of a division is not a speed-up.
    assert one([0.3] * 5, [0.1 * 3] * 5).verdict == "no difference"
    exact = one([2.0] * 5, [3.0] * 5)
    assert (exact.verdict, exact.estimate.low, exact.estimate.high) == (
        "faster",
        pytest.approx(1.5),
        pytest.approx(1.5),
    )
    assert any(flag.startswith("no spread") for flag in exact.flags)


def test_rounds_that_remember_are_flagged() -> None:
    wave = [1 + 0.1 * math.sin(i / 3) for i in range(30)]
    assert any(flag.startswith("autocorrelated") for flag in one([1.0] * 30, wave).flags)


def test_several_candidates_share_the_error_and_keep_their_order() -> None:
    values = {"b": noisy(1, 0.02, seed=1), "z": noisy(1.1, 0.02, seed=2), "a": noisy(1.1, 0.02, seed=3)}
    results = compare(values, "b", "m", "u", "higher")
    assert [result.candidate for result in results] == ["z", "a"]
    assert {result.confidence for result in results} == {0.975}
    alone = one(values["b"], values["z"])
    assert results[0].estimate.low < alone.estimate.low < alone.estimate.high < results[0].estimate.high
    assert results[0].minimum_detectable_effect > alone.minimum_detectable_effect


@given(st.floats(0.5, 0.999), st.integers(1, 20))
def test_the_correction_is_monotone(confidence: float, m: int) -> None:
    assert simultaneous_confidence(confidence, m) < simultaneous_confidence(confidence, m + 1) < 1
    assert simultaneous_confidence(confidence, 1) == pytest.approx(confidence)


def test_no_more_precision_is_reported_than_the_run_asked_for() -> None:
    sides = noisy(1, 0.001, seed=1), noisy(1.01, 0.001, seed=2)
    free, held = one(*sides), one(*sides, target_half_width=0.02)
    assert (free.verdict, held.verdict) == ("faster", "no difference")
    assert (held.estimate.low, held.estimate.high) == pytest.approx(
        (free.estimate.value / 1.02, free.estimate.value * 1.02)
    )
    assert one(*sides, target_half_width=1e-6) == free
    assert one([2.0] * 5, [3.0] * 5, target_half_width=0.02).estimate.low == pytest.approx(1.5)


def test_the_same_values_give_the_same_and_json_takes_it() -> None:
    sides = noisy(1, 0.3, seed=1), [*noisy(1.2, 0.3, n=11, seed=2), NAN]
    assert one(*sides) == one(*sides)
    shown = one(*sides).to_dict()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert Comparison.from_dict(shown) == one(*sides)


def test_in_json_the_figures_lie_flat_and_the_confidence_is_there_without_them() -> None:
    keys = "baseline candidate metric unit better scale rounds estimate low high confidence cliffs_delta effect"
    known, unknown = one([1.0] * 3, [2.0] * 3).to_dict(), one([NAN], [NAN], confidence=0.9).to_dict()
    assert list(known) == list(unknown) == [*keys.split(), "minimum_detectable_effect", "verdict", "flags"]
    assert (unknown["estimate"], unknown["low"], unknown["high"], unknown["confidence"]) == (None, None, None, 0.9)
    assert Comparison.from_dict({**unknown, "run": "r"}) == one([NAN], [NAN], confidence=0.9)


def test_the_interval_is_that_of_the_simulations() -> None:
    baseline, candidate = noisy(1, 0.3, seed=1), noisy(1.2, 0.3, seed=2)
    interval = mean_interval(np.log(candidate) - np.log(baseline))
    result = one(baseline, candidate)
    assert (result.estimate.low, result.estimate.high) == pytest.approx(
        (math.exp(interval.low), math.exp(interval.high))
    )


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"old": [1.0], "new": [1.0, 2.0]}, "rounds do not match"),
        ({"old": [1.0] * 3, "new": [math.inf] * 3}, "infinite"),
    ],
)
def test_bad_input_is_refused(values: dict[str, list[float]], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        compare(values, "old", "m", "u", "higher")
