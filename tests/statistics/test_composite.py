"""The composite score: reactive-bench's arithmetic, void as zero, and intervals that hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perflab.stats.composite import Composite

# Chosen so that the shares can be seen: the best of `fast` makes 100, that of `slow` takes 2.
ROUNDS = {
    "fast": {"a": [100.0] * 6, "b": [50.0] * 6, "c": [80.0] * 6},
    "slow": {"a": [4.0] * 6, "b": [2.0] * 6, "c": [2.5] * 6},
}
BETTER = {"fast": "higher", "slow": "lower"}


def composite(**more: object) -> Composite:
    return Composite(ROUNDS, BETTER, **more)  # type: ignore[arg-type]


def test_a_share_is_of_the_best_whatever_the_metrics_direction() -> None:
    shares = {one.label: [share.value for share in one.shares.values()] for one in composite().scores()}
    assert shares["a"] == pytest.approx([1, 0.5])
    assert shares["b"] == pytest.approx([0.5, 1])
    assert shares["c"] == pytest.approx([0.8, 0.8])


def test_the_mean_ranks_and_the_worst_scenario_is_named() -> None:
    first, *others = composite().scores()
    assert (first.label, first.mean.value, first.worst.value) == ("c", pytest.approx(0.8), pytest.approx(0.8))
    assert first.spread.value == pytest.approx(0)
    assert {one.label: one.worst_scenario for one in others} == {"a": "slow", "b": "fast"}


def test_what_is_void_is_zero_and_stays_in() -> None:
    # c has values: it broke a rule after some rounds. They do not count, nor does anybody else's share change.
    scores = {one.label: one for one in composite(void={"slow": {"c"}}).scores()}
    assert scores["c"].shares["slow"].value == 0
    assert scores["c"].mean.value == pytest.approx(0.4)
    assert scores["c"].worst.value == 0
    assert scores["b"].shares["slow"].value == 1


def test_a_void_best_makes_the_next_one_the_best() -> None:
    scores = {one.label: one for one in composite(void={"slow": {"b"}}).scores()}
    assert scores["c"].shares["slow"].value == 1


def test_what_is_void_everywhere_has_no_values_and_still_a_score() -> None:
    rounds = {name: {"a": own["a"]} for name, own in ROUNDS.items()}
    found = Composite(rounds, BETTER, {"fast": ["never"], "slow": ["never"]})  # type: ignore[arg-type]
    assert [(one.label, one.mean.value) for one in found.scores()] == [("a", 1), ("never", 0)]


def test_a_variant_that_was_not_measured_everywhere_has_no_score_but_may_be_the_best() -> None:
    rounds = {"fast": {**ROUNDS["fast"], "d": [200.0] * 6}, "slow": ROUNDS["slow"]}
    found = Composite(rounds, BETTER)  # type: ignore[arg-type]
    assert found.labels == ["a", "b", "c"]
    assert found.estimate("a", "mean").value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="'d' has no score"):
        found.lead("d", "a", "mean")


def test_rounds_that_drift_together_leave_no_doubt() -> None:
    drift = np.array([1.0, 2.0, 0.5, 1.5, 3.0, 0.7])
    rounds = {"one": {"a": list(10 * drift), "b": list(5 * drift)}}
    score = Composite(rounds, {"one": "higher"}).estimate("b", "mean")
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0.5, 0.5))


def test_a_lead_is_positive_for_whoever_is_better_and_of_the_spread_the_smaller_one_is() -> None:
    found = composite()
    assert found.lead("c", "a", "mean").value == pytest.approx(0.05)
    assert found.lead("a", "c", "mean").value == pytest.approx(-0.05)
    assert found.lead("c", "a", "spread").value == pytest.approx(0.25)


def test_more_comparisons_make_a_lead_less_sure() -> None:
    chance = np.random.default_rng(3)
    rounds = {"one": {name: list(chance.lognormal(0, 0.3, 8)) for name in "ab"}}
    found = Composite(rounds, {"one": "higher"})
    alone, among_many = found.lead("a", "b", "mean"), found.lead("a", "b", "mean", comparisons=20)
    assert among_many.low is not None
    assert alone.low is not None
    assert among_many.low < alone.low


def test_a_missing_fork_takes_nothing_but_its_round() -> None:
    rounds = {"one": {"a": [10.0, math.nan, 10.0, 10.0], "b": [5.0] * 4}}
    assert Composite(rounds, {"one": "higher"}).estimate("b", "mean").value == pytest.approx(0.5)


def test_two_rounds_give_a_score_and_no_interval() -> None:
    found = Composite({"one": {"a": [1.0, 2.0], "b": [2.0, 2.0]}}, {"one": "lower"})
    assert found.estimate("a", "mean").value == 1
    assert found.estimate("a", "mean").low is None
    assert found.lead("a", "b", "worst").high is None


def test_the_same_rounds_give_the_same_interval() -> None:
    assert composite().scores() == composite().scores()


@pytest.mark.parametrize("bad", [0.0, -1.0, math.inf])
def test_a_value_that_has_no_share_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="above zero: a in one"):
        Composite({"one": {"a": [1.0, bad, 1.0]}}, {"one": "higher"})


def test_nothing_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one scenario"):
        Composite({}, {})
    with pytest.raises(ValueError, match="no variant has a value in one"):
        Composite({"one": {"a": [math.nan]}}, {"one": "higher"})


@pytest.mark.long
@pytest.mark.parametrize("rounds", [3, 6, 10])
def test_the_interval_of_the_mean_covers_the_truth(rounds: int) -> None:
    # Truth: a is the best of both scenarios, and b makes 60 % and 90 % of it. 400 experiments of a nominal 95 %.
    chance = np.random.default_rng(rounds)
    covered, experiments = 0, 400
    for _ in range(experiments):
        table = {}
        for name, share in (("one", 0.6), ("two", 0.9)):
            drift = chance.lognormal(0, 0.3, rounds)
            noise = chance.lognormal(0, 0.08, (2, rounds))
            table[name] = {"a": list(drift * noise[0]), "b": list(share * drift * noise[1])}
        found = Composite(table, {"one": "higher", "two": "higher"})
        interval = found.estimate("b", "mean")
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= 0.75 <= interval.high
    # Three standard errors below 95 % of 400.
    assert covered / experiments > 0.917
